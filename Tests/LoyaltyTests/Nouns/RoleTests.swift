import Loyalty
import Testing
import World

/// Roles at a shop: the rights of each role, and the way in which a member's role changes.
@Suite struct RoleTests {
    private static let hired = Scenario.running.given(
        Sample.invited(Sample.customer, role: .manager), Sample.joined(Sample.customer, role: .manager))
    private let manager = Sample.customer

    // MARK: Rights of the roles

    @Test("The roles are counter, manager and owner, each with the rights of those below")
    func order() throws {
        let shop = try #require(Self.hired.world.shops[Sample.shop])
        #expect(Role.counter < .manager && Role.manager < .owner)
        #expect(shop.role(of: Sample.owner) == .owner && shop.role(of: manager) == .manager)
        #expect(shop.role(of: Sample.staff) == .counter && shop.role(of: Sample.stranger) == nil)
        #expect(shop.staff == [Sample.staff, manager])
    }

    private static let managers: [Command] = [
        Sample.publish(CampaignID(29)), Sample.edit(Sample.campaign, title: "Nine cups"), Sample.end(), Sample.reopen(Sample.promotion),
        Sample.notify(), .destroyCodes(DestroyCodes(shop: Sample.shop, issuer: Sample.owner, codes: [Sample.code])),
    ]
    private static let owners: [Command] = [
        Sample.edit(name: "Tea"), Sample.close(), Sample.invite(Sample.stranger), Sample.dismiss(Sample.stranger),
        Sample.withdraw(),
    ]

    @Test("A manager manages campaigns, notices and other people's codes", arguments: managers)
    func managing(_ command: Command) {
        let busy = Self.hired.given(Sample.issued(), Sample.ended(Sample.promotion))
        busy.when(command, by: Sample.customer).thenAccepted()
        busy.when(command, by: Sample.owner).thenAccepted()
        busy.when(command, by: Sample.staff).thenRejected(.roleRequired)
        busy.when(command, by: Sample.stranger).thenRejected(.forbidden)
        busy.given(Sample.left(Sample.customer)).when(command, by: Sample.customer).thenRejected(.forbidden)
    }

    @Test("Only the owner manages the shop and its staff", arguments: owners)
    func owning(_ command: Command) {
        Self.hired.when(command, by: Sample.customer).thenRejected(.roleRequired)
        Self.hired.when(command, by: Sample.staff).thenRejected(.roleRequired)
        Self.hired.when(command, by: Sample.stranger).thenRejected(.forbidden)
    }

    @Test("Counter staff destroy only the codes that they issued, managers all codes")
    func codes() {
        let issued = Self.hired.when(Sample.issue(), by: Sample.owner).after
        issued.when(Sample.destroy(), by: Sample.staff).thenRejected(.roleRequired)
        issued.when(Sample.destroy(), by: Sample.stranger).thenRejected(.notFound)
        issued.when(Sample.destroy(), by: manager).then(Sample.destroyed())
        Self.hired.when(Sample.issue(), by: Sample.staff).after.when(Sample.destroy(), by: Sample.staff).then(Sample.destroyed())
    }

    @Test("A manager works at the counter, and is no customer of the shop")
    func counter() {
        Self.hired.when(Sample.issue(), by: manager).thenAccepted()
        Self.hired.given(Sample.issued()).when(Sample.stamp(), by: manager).thenRejected(.ownCampaign)
    }

    // MARK: Roles in offers

    @Test("Staff of an older log, and of an offer without a role, work at the counter")
    func older() {
        #expect(Scenario.running.world.shops[Sample.shop]?.members[Sample.staff]?.role == .counter)
        let offered = Scenario.running.when(Sample.invite(Sample.customer), by: Sample.owner).then(Sample.invited())
        offered.when(Sample.accept(), by: Sample.customer).then(Sample.joined())
    }

    @Test("A person who is offered the role of a manager has it after accepting")
    func offer() {
        let offered = Scenario.running.when(Sample.invite(Sample.customer, role: .manager), by: Sample.owner)
            .then(Sample.invited(role: .manager))
        offered.when(Sample.publish(CampaignID(29)), by: Sample.customer).thenRejected(.forbidden)
        offered.when(Sample.invite(Sample.customer, role: .manager), by: Sample.owner).thenNothing()
        offered.when(Sample.invite(Sample.customer), by: Sample.owner).thenNothing()
        let joined = offered.when(Sample.accept(), by: Sample.customer).then(Sample.joined(role: .manager))
        joined.when(Sample.accept(), by: Sample.customer).thenNothing()
        joined.when(Sample.publish(CampaignID(29)), by: Sample.customer).thenAccepted()
    }

    @Test("An offer of another role takes the place of an open one")
    func replaced() {
        let other = InvitationID(77)
        let offered = Scenario.running.given(Sample.invited())
            .when(Sample.invite(Sample.customer, as: other, role: .manager), by: Sample.owner)
            .then(Sample.unInvited(), Sample.invited(as: other, role: .manager))
        offered.when(Sample.accept(), by: Sample.customer).thenRejected(.offerNotOpen)
        offered.when(Sample.accept(other), by: Sample.customer).then(Sample.joined(as: other, role: .manager))
    }

    @Test("Nobody is offered ownership")
    func ownership() {
        Scenario.running.when(Sample.invite(Sample.customer, role: .owner), by: Sample.owner).thenInvalid("role")
        Scenario.running.when(Sample.invite(Sample.staff, role: .owner), by: Sample.owner).thenInvalid("role")
    }

    // MARK: Changes of a role

    @Test("A higher role needs the member's acceptance")
    func promotion() throws {
        let offered = Scenario.running.when(Sample.invite(Sample.staff, role: .manager), by: Sample.owner)
            .then(Sample.invited(Sample.staff, role: .manager))
        offered.when(Sample.publish(CampaignID(29)), by: Sample.staff).thenRejected(.roleRequired)
        let raised = offered.when(Sample.accept(), by: Sample.staff).then(Sample.became(.manager, by: Sample.invitation))
        raised.when(Sample.accept(), by: Sample.staff).thenNothing()
        raised.when(Sample.publish(CampaignID(29)), by: Sample.staff).thenAccepted()
        let shop = try #require(raised.world.shops[Sample.shop])
        #expect(shop.members[Sample.staff]?.since == Sample.start && shop.hirings == 1 && shop.offers.isEmpty)
        offered.given([Sample.suspended()]).when(Sample.accept(), by: Sample.staff).thenRejected(.suspended)
        offered.when(Sample.decline(), by: Sample.staff).then(Sample.unInvited(Sample.staff))
    }

    @Test("A lower role takes effect at once, also at a suspended shop, and ends an offer")
    func demotion() {
        let lowered = Self.hired.when(Sample.invite(manager, role: .counter), by: Sample.owner).then(Sample.became(.counter, manager))
        lowered.when(Sample.publish(CampaignID(29)), by: manager).thenRejected(.roleRequired)
        lowered.when(Sample.issue(), by: manager).thenAccepted()
        lowered.when(Sample.invite(manager, role: .counter), by: Sample.owner).thenNothing()
        Self.hired.given(Sample.suspended()).when(Sample.invite(manager, role: .counter), by: Sample.owner).thenAccepted()
        Scenario.running.given(Sample.suspended()).when(Sample.invite(Sample.staff, role: .manager), by: Sample.owner)
            .thenRejected(.suspended)
        let offered = Scenario.running.given(Sample.invited(Sample.staff, role: .manager))
        offered.when(Sample.invite(Sample.staff, role: .counter), by: Sample.owner).then(Sample.unInvited(Sample.staff))
    }

    @Test("An offer without a role leaves members as they are")
    func unnamed() {
        Self.hired.when(Sample.invite(manager), by: Sample.owner).thenNothing()
        Self.hired.when(Sample.invite(Sample.owner, role: .manager), by: Sample.owner).thenNothing()
    }

    @Test("The offer of a higher role ends with the employment", arguments: [true, false])
    func left(_ isRemoved: Bool) {
        let offered = Scenario.running.given(Sample.invited(Sample.staff, role: .manager))
        let gone = offered.when(isRemoved ? Sample.dismiss(Sample.staff) : Sample.leave(), by: isRemoved ? Sample.owner : Sample.staff)
            .then(Sample.left(), Sample.unInvited(Sample.staff))
        gone.when(Sample.accept(), by: Sample.staff).thenRejected(.offerNotOpen)
    }

    @Test("A member who returns has the role of the new offer")
    func comingBack() {
        let back = Self.hired.given(Sample.left(manager), Sample.invited(manager), Sample.joined(manager))
        #expect(back.world.shops[Sample.shop]?.role(of: manager) == .counter)
    }

    @Test("A member who gets a higher role takes no second one of the hundred places for staff")
    func full() {
        let others = (0..<Limits.staffMax - 1).flatMap { number -> [LoyaltyEvent] in
            let (account, offer) = (AccountID(UInt128(1_000 + number)), InvitationID(UInt128(1_000 + number)))
            return [Sample.invited(account, as: offer), Sample.joined(account, as: offer)]
        }
        let full = Scenario.running.given(others)
        full.when(Sample.invite(Sample.stranger), by: Sample.owner).thenInvalid("account")
        full.when(Sample.invite(Sample.staff, role: .manager), by: Sample.owner).thenAccepted()
    }
}
