import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about invitations, staff and mutes. Each test breaks one rule in a history, and the rule book reports it.
@Suite struct StaffRulesTests {
    private static let (owner, member, other) = (AccountID(1), AccountID(2), AccountID(3))
    private static let (shop, campaign) = (ShopID(10), CampaignID(20))
    private static let start = Instant(microseconds: 1_700_000_000_000_000)
    private static let week: Int64 = 7 * 86_400

    private typealias Step = (actor: AccountID, event: LoyaltyEvent)

    /// Returns the rule book's findings in the opening events and these steps, with one second between two events.
    private func findings(_ steps: [Step]) -> [String] {
        var (book, found) = (RuleBook(), [String]())
        for (index, step) in (Self.opening + steps).enumerated() {
            let time = Self.start.advanced(bySeconds: Int64(index))
            found += book.apply(Fact(position: UInt64(index) + 1, time: time, actor: step.actor, event: step.event), mark: nil).map(\.what)
        }
        return found
    }

    private static let opening: [Step] =
        [owner, member, other].map { account in
            (account, .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))))
        } + [
            (
                owner,
                .shopOpened(
                    .init(shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: .init(latitude: 1, longitude: 1)))
            ),
            (
                owner,
                .campaignPublished(
                    .init(
                        campaign: campaign, shop: shop, kind: .stampCard,
                        terms: CampaignTerms(
                            title: "", details: "", goal: 2, reward: "", startsAt: start, endsAt: start.advanced(bySeconds: 9_000_000))))
            ),
        ]

    private func invited(
        _ number: UInt128 = 1, _ account: AccountID = member, by actor: AccountID = owner, for seconds: Int64 = week,
        as role: Role = .counter
    ) -> Step {
        let end = Self.start.advanced(bySeconds: seconds)
        return (actor, .staffInvited(.init(invitation: .init(number), shop: Self.shop, account: account, expiresAt: end, role: role)))
    }

    private func ended(_ number: UInt128 = 1, by actor: AccountID = member) -> Step {
        (actor, .invitationEnded(.init(invitation: .init(number), shop: Self.shop, account: Self.member)))
    }

    private func joined(_ number: UInt128 = 1, by actor: AccountID = member, as role: Role = .counter) -> Step {
        (actor, .staffJoined(.init(invitation: .init(number), shop: Self.shop, account: Self.member, role: role)))
    }

    private func became(_ role: Role, by actor: AccountID = member, with number: UInt128? = 2) -> Step {
        (actor, .roleChanged(.init(shop: Self.shop, account: Self.member, invitation: number.map { .init($0) }, role: role)))
    }

    private func left(by actor: AccountID = member) -> Step { (actor, .employmentEnded(.init(shop: Self.shop, account: Self.member))) }

    private func issued(_ number: UInt128) -> Step {
        let code = CodeIssued(
            code: .init(number), campaign: Self.campaign, shop: Self.shop, secret: Secret(number), attempt: 0, stamps: 1,
            expiresAt: Self.start.advanced(bySeconds: 600))
        return (Self.member, .codeIssued(code))
    }

    private func stamped(_ number: UInt128) -> [Step] {
        let card = CardOpened(card: .init(number), campaign: Self.campaign, shop: Self.shop, holder: Self.other, goal: 2, reward: "")
        let stamp = CardStamped(
            card: .init(number), code: .init(number), campaign: Self.campaign, shop: Self.shop, holder: Self.other, stamps: 1)
        return [(Self.other, .cardOpened(card)), (Self.other, .cardStamped(stamp))]
    }

    private func taken(_ number: UInt128 = 1, by actor: AccountID = member, for account: AccountID = member) -> Step {
        (actor, .waitingOfferTaken(.init(invitation: .init(number), shop: Self.shop, account: account)))
    }

    private func named(_ label: TypedText, _ account: AccountID = member, by actor: AccountID = owner) -> Step {
        (actor, .staffLabeled(.init(shop: Self.shop, account: account, label: label)))
    }

    private var muted: Step { (Self.member, .shopMuted(.init(shop: Self.shop, account: Self.member))) }
    private var unmuted: Step { (Self.member, .shopUnmuted(.init(shop: Self.shop, account: Self.member))) }

    @Test("A valid history of staff has no findings")
    func legal() {
        #expect(findings([invited(), ended(), invited(2), ended(2, by: Self.owner), invited(3), joined(3), left()]) == [])
        #expect(findings([invited(), joined(), left(by: Self.owner), invited(2), joined(2)]) == [])
        #expect(findings([invited(1, AccountID(99)), muted, unmuted, muted]) == [])
        #expect(findings([invited(), joined(), issued(1)] + stamped(1) + [left()]) == [])
    }

    @Test("An account joins the staff only by accepting an open invitation itself")
    func consent() {
        #expect(!findings([invited(), joined(by: Self.owner)]).isEmpty)
        #expect(!findings([joined()]).isEmpty)
        #expect(!findings([invited(), joined(2)]).isEmpty)
        #expect(!findings([invited(), ended(), joined()]).isEmpty)
        #expect(!findings([invited(), joined(), joined()]).isEmpty)
        #expect(!findings([invited(for: 6), muted, joined()]).isEmpty, "an invitation accepted after it lapsed")
        #expect(!findings([invited(), issued(1)]).isEmpty, "an invited account that issues a code")
    }

    @Test("Only the owner may invite, for at most a week, one invitation at a time")
    func offers() {
        #expect(!findings([invited(by: Self.member)]).isEmpty)
        #expect(!findings([invited(), invited(2)]).isEmpty)
        #expect(!findings([invited(), ended(), invited()]).isEmpty, "an invitation's id used twice")
        #expect(!findings([invited(for: Self.week + 6)]).isEmpty)
        #expect(!findings([invited(), ended(by: Self.other)]).isEmpty)
        #expect(!findings([ended()]).isEmpty)
        #expect(!findings([invited(1, Self.owner)]).isEmpty)
    }

    @Test("An offer to a number becomes that of an account, by the account's own act, once, while it is open")
    func waitingOffers() {
        let number = AccountID(99)
        #expect(findings([invited(1, number), taken(), joined()]) == [])
        #expect(findings([invited(1, number), taken(), ended()]) == [])
        #expect(findings([invited(1, number, as: .manager), taken(), joined(as: .manager)]) == [])
        #expect(!findings([invited(1, number), joined()]).isEmpty, "an offer that nobody took")
        #expect(!findings([invited(1, number), taken(by: Self.owner)]).isEmpty)
        #expect(!findings([invited(1, Self.other), taken()]).isEmpty, "the offer to an account")
        #expect(!findings([taken()]).isEmpty)
        #expect(!findings([invited(1, number), taken(), taken(by: Self.other, for: Self.other)]).isEmpty)
        #expect(!findings([invited(1, number, for: 6), muted, taken()]).isEmpty, "an offer taken after it lapsed")
        #expect(!findings([invited(1, number), taken(by: Self.owner, for: Self.owner)]).isEmpty)
        #expect(!findings([invited(1, number), invited(2), taken()]).isEmpty, "two open offers of one shop")
        #expect(!findings([invited(1, number), invited(2), joined(2), taken()]).isEmpty, "an offer of no higher role")
    }

    @Test("Managers name the shop's people, and nobody names the owner")
    func names() {
        let hired = [invited(), joined()]
        #expect(findings(hired + [named("Mei"), named(""), named("Boss", Self.owner), left(), named("")]) == [])
        #expect(!findings(hired + [named("Mei", by: Self.member)]).isEmpty)
        #expect(!findings([named("Mei")]).isEmpty)
        let managed = [invited(as: .manager), joined(as: .manager)]
        #expect(findings(managed + [named("Mei", by: Self.member)]) == [])
        #expect(!findings(managed + [named("Boss", Self.owner, by: Self.member)]).isEmpty)
        let suspended: Step = (Self.other, .shopSuspended(.init(shop: Self.shop, reason: "x")))
        #expect(!findings(hired + [suspended, named("Mei")]).isEmpty)
    }

    @Test("Only the shop's owner or the member can end an employment; the member's open codes end with it")
    func ends() {
        let hired = [invited(), joined(), issued(1)]
        #expect(!findings(hired + [left(by: Self.other)]).isEmpty)
        #expect(!findings(hired + [left(), left()]).isEmpty)
        #expect(!findings(hired + [left()] + stamped(1)).isEmpty)
        #expect(!findings(hired + [left(), invited(2), joined(2)] + stamped(1)).isEmpty, "a code from before the employment ended")
        #expect(findings(hired + [left(), invited(2), joined(2), issued(2)] + stamped(2)) == [])
    }

    @Test("A member who is hired again may issue codes, even if the clock was fast when the earlier employment ended")
    func fastClock() {
        let steps = [invited(), joined(), left(), invited(2), joined(2), issued(2)] + stamped(2)
        let timed = zip(steps, [1, 1, 400, -300, 1, 1, 1, 1] as [Int64]).map { step, seconds in
            OfficeRulesTests.Step(actor: step.actor, event: step.event, seconds: seconds)
        }
        #expect(OfficeRulesTests().findings(timed) == [])
    }

    @Test("After a clock was set back, shops offer work anew; older logs may have accepted a lapsed offer, or a code of a former member")
    func clockSetBack() {
        func timed(_ steps: [Step], _ seconds: [Int64]) -> [OfficeRulesTests.Step] {
            zip(steps, seconds).map { OfficeRulesTests.Step(actor: $0.actor, event: $0.event, seconds: $1) }
        }
        let voided = timed([invited(), joined(), issued(1), left()] + stamped(1), [1, 1, 10, -5, 20, 0])
        #expect(OfficeRulesTests().findings(voided) == [])
        let lapsed = [invited(), invited(2, Self.other, for: 2 * Self.week)]
        let renewed = timed(lapsed + [invited(3), joined(3)], [1, Self.week, 86_400 - Self.week, 1])
        #expect(OfficeRulesTests().findings(renewed) == [])
        let revived = timed(lapsed + [joined()], [1, Self.week, 86_400 - Self.week])
        #expect(OfficeRulesTests().findings(revived) == [])
        let both = timed(lapsed + [invited(3), joined(1)], [1, Self.week, 86_400 - Self.week, 1])
        #expect(!OfficeRulesTests().findings(both).isEmpty, "an offer that was replaced by another")
    }

    @Test("Codes of a member who left are void, also if another member left while the clock was ahead for a moment")
    func clockThatWasAhead() {
        let month: Int64 = 30 * 86_400
        let otherJoined = StaffJoined(invitation: .init(2), shop: Self.shop, account: Self.other, role: .counter)
        let otherLeft = EmploymentEnded(shop: Self.shop, account: Self.other)
        let steps: [Step] = [
            invited(), joined(), issued(1), left(), invited(2, Self.other), (Self.other, .staffJoined(otherJoined)),
            (Self.other, .employmentEnded(otherLeft)),
        ]
        let timed = zip(steps + stamped(1), [1, 1, 1, 1, 1, 1, month, -month, 1]).map { step, seconds in
            OfficeRulesTests.Step(actor: step.actor, event: step.event, seconds: seconds)
        }
        let found = OfficeRulesTests().findings(timed, isForgetful: true)
        #expect(found.contains { $0.contains("ended with the work of its issuer") }, "\(found)")
    }

    @Test("A higher role is accepted by the member, and a lower role is set by the owner alone")
    func roles() {
        let raised = [invited(), joined(), invited(2, as: .manager), became(.manager)]
        let lowered = became(.counter, by: Self.owner, with: nil)
        #expect(findings(raised + [lowered, invited(3, as: .manager), left()]) == [])
        #expect(!findings([invited(), joined(), became(.manager)]).isEmpty, "a higher role without an offer")
        #expect(!findings([invited(), joined(), invited(2, as: .manager), became(.manager, by: Self.owner)]).isEmpty)
        #expect(!findings([invited(), joined(), invited(2, as: .manager), ended(2), became(.manager)]).isEmpty)
        #expect(!findings([invited(), joined(), became(.manager, by: Self.owner, with: nil)]).isEmpty)
        #expect(!findings(raised + [became(.counter, by: Self.other, with: nil)]).isEmpty)
        #expect(!findings(raised + [invited(3, as: .manager)]).isEmpty, "an offer of a role that the member has")
        #expect(!findings([invited(as: .manager), joined(as: .counter)]).isEmpty, "a role other than the offered one")
        #expect(!findings([became(.counter, by: Self.owner, with: nil)]).isEmpty, "a role of an account that is not staff")
    }

    @Test("Only managers keep campaigns, and staff destroy only the codes that they issued")
    func rights() {
        let end = LoyaltyEvent.campaignEnded(.init(campaign: Self.campaign, shop: Self.shop))
        #expect(findings([invited(as: .manager), joined(as: .manager), (Self.member, end)]) == [])
        #expect(!findings([invited(), joined(), (Self.member, end)]).isEmpty)
        #expect(!findings([invited(as: .manager), joined(as: .manager), left(), (Self.member, end)]).isEmpty)
        let destroyed = LoyaltyEvent.codeDestroyed(.init(code: .init(1), campaign: Self.campaign, shop: Self.shop))
        let others = (Self.owner, issued(1).event)
        #expect(findings([invited(), joined(), others, (Self.member, destroyed)]) == [], "before roles, this was allowed")
        #expect(!findings([invited(), joined(), invited(9, Self.other, as: .manager), others, (Self.member, destroyed)]).isEmpty)
        #expect(findings([invited(as: .manager), joined(as: .manager), others, (Self.member, destroyed)]) == [])
    }

    @Test("An account can mute only for itself, and must unmute before it mutes again")
    func mutes() {
        #expect(!findings([muted, muted]).isEmpty && !findings([unmuted]).isEmpty)
        #expect(!findings([(Self.other, muted.event)]).isEmpty)
        #expect(!findings([(Self.member, .shopMuted(.init(shop: ShopID(19), account: Self.member)))]).isEmpty)
    }
}
