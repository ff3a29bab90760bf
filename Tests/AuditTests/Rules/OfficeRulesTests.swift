import Histories
import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about owners and operators. Each test breaks one rule in a history, and the rule book reports it.
@Suite struct OfficeRulesTests {
    static let (owner, customer, member) = (AccountID(1), AccountID(2), AccountID(3))
    static let (shop, campaign, card) = (ShopID(10), CampaignID(20), CardID(40))
    static let start = Instant(microseconds: 1_700_000_000_000_000)

    /// An event, its actor, and the seconds since the previous event.
    struct Step {
        let actor: AccountID
        let event: LoyaltyEvent
        var seconds: Int64 = 1
    }

    /// - Parameters:
    ///   - ends: whether the findings at the log's end are included.
    ///   - isForgetful: whether the rule book removes what is over with each thing that it records, and not only with every ten thousandth.
    func findings(_ steps: [Step], ends: Bool = false, isForgetful: Bool = false) -> [String] {
        var (book, now, found) = (RuleBook(), Self.start, [String]())
        for (index, step) in (Self.opening + steps).enumerated() {
            now = now.advanced(bySeconds: step.seconds)
            let fact = Fact(position: UInt64(index) + 1, time: now, actor: step.actor, event: step.event)
            if isForgetful {
                (book.codes.countMax, book.spent.countMax, book.rewards.countMax, book.shops.employmentEnds.countMax) = (1, 1, 1, 1)
            }
            found += book.apply(fact, mark: nil).map(\.what)
        }
        if ends { found += book.end().map(\.what) }
        return found
    }

    static let opening: [Step] =
        [owner, customer, member].map { account in
            Step(actor: account, event: .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))))
        } + [
            Step(
                actor: owner,
                event: .shopOpened(
                    .init(shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: .init(latitude: 1, longitude: 1)))),
            Step(
                actor: owner,
                event: .campaignPublished(
                    .init(
                        campaign: campaign, shop: shop, kind: .stampCard,
                        terms: CampaignTerms(
                            title: "", details: "", goal: 2, reward: "", startsAt: start, endsAt: start.advanced(bySeconds: 9_000_000))))),
        ]

    func issued(_ number: UInt128, by actor: AccountID = owner, stamps: Int = 1) -> Step {
        let expiry = Self.start.advanced(bySeconds: 86_400)
        return Step(
            actor: actor,
            event: .codeIssued(
                .init(
                    code: .init(number), campaign: Self.campaign, shop: Self.shop, secret: Secret(number), attempt: 0, stamps: stamps,
                    expiresAt: expiry)))
    }

    func opened(_ card: CardID = card, goal: Int = 2, after seconds: Int64 = 1) -> Step {
        Step(
            actor: Self.customer,
            event: .cardOpened(.init(card: card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, goal: goal, reward: "")),
            seconds: seconds)
    }

    func stamped(_ number: UInt128, on card: CardID = card, stamps: Int = 1, after seconds: Int64 = 1) -> Step {
        Step(
            actor: Self.customer,
            event: .cardStamped(
                .init(
                    card: card, code: .init(number), campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: stamps)),
            seconds: seconds)
    }

    func adjusted(_ stamps: Int) -> Step {
        Step(
            actor: Self.member,
            event: .cardAdjusted(
                .init(
                    card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: stamps, reason: "x")))
    }

    func requested(_ number: UInt128, after seconds: Int64 = 1) -> Step {
        Step(
            actor: Self.customer,
            event: .redemptionRequested(
                .init(
                    redemption: .init(number), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer,
                    secret: Secret(number), attempt: 0, expiresAt: Self.start.advanced(bySeconds: 200))), seconds: seconds)
    }

    func redeemed(_ number: UInt128) -> Step {
        Step(
            actor: Self.owner,
            event: .cardRedeemed(
                .init(redemption: .init(number), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)))
    }

    func reversed(_ number: UInt128, by actor: AccountID = owner, after seconds: Int64 = 1) -> Step {
        Step(
            actor: actor,
            event: .redemptionReversed(
                .init(
                    redemption: .init(number), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer,
                    reason: "x")), seconds: seconds)
    }

    func tookBack(
        _ number: UInt128, stamps: Int = 1, leaving left: Int = 0, from card: CardID = card, by actor: AccountID = owner,
        after seconds: Int64 = 1
    ) -> Step {
        Step(
            actor: actor,
            event: .stampReversed(
                .init(
                    card: card, code: .init(number), campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: stamps,
                    reason: "x", left: left)), seconds: seconds)
    }

    func discarded(_ card: CardID = card, by actor: AccountID = customer) -> Step {
        Step(
            actor: actor,
            event: .cardDiscarded(.init(card: card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)), seconds: 0)
    }

    func ended(after seconds: Int64 = 1) -> Step {
        Step(actor: Self.owner, event: .campaignEnded(.init(campaign: Self.campaign, shop: Self.shop)), seconds: seconds)
    }

    func reopened(until end: Int64 = 9_000_000, by actor: AccountID = owner, after seconds: Int64 = 1) -> Step {
        Step(
            actor: actor,
            event: .campaignReopened(
                .init(campaign: Self.campaign, shop: Self.shop, endsAt: Self.start.advanced(bySeconds: end))), seconds: seconds)
    }

    var closed: Step {
        Step(
            actor: Self.owner,
            event: .shopClosed(.init(shop: Self.shop, redeemUntil: Self.start.advanced(bySeconds: 9_000), erasesContact: false)))
    }

    func edited(goal: Int = 2, caps: StampCaps = .none, by actor: AccountID = owner) -> Step {
        Step(
            actor: actor,
            event: .campaignEdited(
                .init(
                    campaign: Self.campaign, shop: Self.shop,
                    terms: CampaignTerms(
                        title: "", details: "", goal: goal, reward: "", startsAt: Self.start,
                        endsAt: Self.start.advanced(bySeconds: 9_000_000), image: nil, caps: caps))))
    }

    func hired(_ account: AccountID, by actor: AccountID = owner) -> Step {
        Step(actor: actor, event: .staffAdded(.init(shop: Self.shop, account: account)))
    }

    /// An invitation shows that the log was written by a version that already enforces today's rules.
    var invited: Step {
        Step(
            actor: Self.owner,
            event: .staffInvited(
                .init(
                    invitation: .init(1), shop: Self.shop, account: AccountID(99), expiresAt: Self.start.advanced(bySeconds: 86_400))))
    }

    var dismissed: Step { Step(actor: Self.owner, event: .staffRemoved(.init(shop: Self.shop, account: Self.member))) }
    var suspended: Step { Step(actor: Self.member, event: .shopSuspended(.init(shop: Self.shop, reason: "x"))) }
    var reinstated: Step { Step(actor: Self.member, event: .shopReinstated(.init(shop: Self.shop, reason: ""))) }
    var full: [Step] { [issued(1, stamps: 2), opened(), stamped(1, stamps: 2)] }

    /// Otherwise the other tests would prove little.
    @Test("Random histories have every type of event about owners and operators")
    func everyEvent() {
        let lines = VerifiedLog.history("office", 9_000).facts.map { FactText.line($0) }
        let names = [
            "ShopEdited", "StaffInvited", "StaffJoined", "InvitationEnded", "EmploymentEnded", "ShopMuted", "ShopUnmuted",
            "ShopSuspended", "ShopReinstated", "CampaignEdited", "CardAdjusted", "RedemptionReversed", "StampReversed", "CampaignReopened",
        ]
        for name in names { #expect(lines.contains { $0.contains(" \(name) ") }, "no \(name)") }
    }

    @Test("A history that follows the rules has no findings")
    func legalHistory() {
        #expect(findings([hired(Self.member), issued(1, by: Self.member), opened(), stamped(1), dismissed, suspended, reinstated]) == [])
        #expect(findings(full + [requested(1), redeemed(1), reversed(1), requested(2), redeemed(2), reversed(2)]) == [])
        #expect(findings(full + [adjusted(-1), issued(2), stamped(2), requested(1), redeemed(1)]) == [])
        #expect(findings([edited(goal: 3), issued(1), opened(goal: 3), stamped(1), adjusted(2), requested(1)]) == [])
    }

    @Test("Only staff issue codes, they collect no stamps at their shop, and only the owner hires them, each once")
    func onlyStaff() {
        #expect(!findings([issued(1, by: Self.member)]).isEmpty)
        #expect(!findings([hired(Self.member), dismissed, issued(1, by: Self.member)]).isEmpty)
        #expect(!findings([hired(Self.customer)] + full).isEmpty, "staff collect stamps at their own shop")
        #expect(!findings([hired(Self.member, by: Self.customer)]).isEmpty)
        #expect(!findings([hired(Self.member), hired(Self.member)]).isEmpty)
        #expect(!findings([dismissed]).isEmpty)
    }

    @Test("A suspended shop issues no codes and gives no stamps, and full cards are still redeemed there")
    func suspendedShop() {
        #expect(!findings([suspended, issued(1)]).isEmpty)
        #expect(!findings([issued(1), suspended, opened(), stamped(1)]).isEmpty)
        #expect(findings([suspended, hired(Self.member)]) == [], "older logs contain members hired by suspended shops")
        #expect(!findings([invited, suspended, edited(goal: 3)]).isEmpty)
        #expect(findings(full + [suspended, requested(1), redeemed(1), reversed(1)]) == [], "a suspended shop redeems full cards")
        #expect(!findings([suspended, suspended]).isEmpty && !findings([reinstated]).isEmpty)
    }

    @Test("A reward is taken back once, within a day, by people of the shop other than the holder")
    func rewardTakenBack() {
        let redeemed = full + [requested(1), redeemed(1)]
        #expect(findings(redeemed + [reversed(1, after: 86_399)]) == [])
        #expect(!findings(redeemed + [reversed(1, after: 86_400)]).isEmpty)
        #expect(!findings(redeemed + [reversed(1), reversed(1)]).isEmpty)
        #expect(!findings(redeemed + [reversed(1, by: Self.member)]).isEmpty)
        #expect(!findings(redeemed + [hired(Self.customer), reversed(1, by: Self.customer)]).isEmpty)
        #expect(!findings(full + [requested(1), reversed(1)]).isEmpty)
        #expect(!findings(redeemed + [reversed(1), self.redeemed(1)]).isEmpty, "a code used twice")
    }

    @Test("Reversing the redemption of a discarded card makes the card full again")
    func aDiscardedCardComesBack() {
        let discarded = Step(
            actor: Self.customer,
            event: .cardDiscarded(.init(card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)))
        let redeemed = full + [requested(1), redeemed(1)]
        #expect(findings(redeemed + [discarded, reversed(1)]) == [])
        #expect(findings(redeemed + [discarded, reversed(1), requested(2), self.redeemed(2)]) == [])
    }

    @Test("An event at a shop after the erasure of its owner is a finding")
    func anOwnerlessShop() {
        let erased = Step(actor: Self.owner, event: .accountErased(.init(account: Self.owner)))
        let staffed = [invited, hired(Self.member)] + full
        #expect(findings(staffed + [erased]) == [])
        #expect(!findings(staffed + [erased, issued(9, by: Self.member)]).isEmpty)
        #expect(!findings(staffed + [erased, requested(1)]).isEmpty)
    }

    var destroyed: Step { Step(actor: Self.owner, event: .codeDestroyed(.init(code: .init(1), campaign: Self.campaign, shop: Self.shop))) }

    var published: Step {
        Step(
            actor: Self.owner,
            event: .campaignPublished(
                .init(
                    campaign: CampaignID(21), shop: Self.shop, kind: .promotion,
                    terms: CampaignTerms(
                        title: "", details: "", goal: 0, reward: "", startsAt: Self.start, endsAt: Self.start.advanced(bySeconds: 9_000_000)
                    ))))
    }

    var noticed: Step {
        Step(
            actor: Self.owner,
            event: .noticePosted(
                .init(
                    notice: .init(80), audience: .shop(Self.shop), author: Self.owner, title: Sealed([1]), text: Sealed([2]))))
    }

    @Test("An event at a suspended shop is a finding only in logs newer than the rule")
    func olderLogsOfSuspendedShops() {
        for late in [published, edited(goal: 3), destroyed, noticed] {
            #expect(findings([issued(1), suspended, late]) == [], "in an older log: \(late.event)")
            #expect(!findings([issued(1), invited, suspended, late]).isEmpty, "in a newer log: \(late.event)")
        }
        #expect(!findings([suspended, issued(1)]).isEmpty, "no version let suspended shops issue codes")
    }

    @Test("An event at an ownerless shop is a finding only in logs newer than the rule")
    func olderLogsOfOwnerlessShops() {
        let erased = Step(actor: Self.owner, event: .accountErased(.init(account: Self.owner)))
        let redeemed = Step(actor: Self.member, event: self.redeemed(1).event)
        let reversed = Step(actor: Self.member, event: self.reversed(1).event)
        let acts = [[issued(9, by: Self.member)], [requested(1), redeemed, reversed]]
        for late in acts {
            #expect(findings([hired(Self.member)] + full + [erased] + late) == [])
            #expect(!findings([invited, hired(Self.member)] + full + [erased] + late).isEmpty)
        }
    }

    @Test("An adjustment by zero stamps, to fewer than zero or to more than the goal is a finding", arguments: [-3, 1, 0])
    func adjustmentRange(_ stamps: Int) { #expect(!findings(full + [adjusted(stamps)]).isEmpty) }

    @Test("A redeemed card is not adjusted, and no redemption is requested for a card that is no longer full")
    func adjustableCards() {
        #expect(!findings(full + [requested(1), redeemed(1), adjusted(-1)]).isEmpty)
        #expect(!findings(full + [adjusted(-1), requested(1)]).isEmpty, "a request for a card that is no longer full")
    }

    @Test("A campaign is edited only by its owner, within limits and with a change that later cards follow")
    func onlyOwner() {
        #expect(!findings([edited(goal: 3, by: Self.member)]).isEmpty)
        #expect(!findings([edited(goal: 3), edited(goal: 3)]).isEmpty)
        #expect(!findings([edited(goal: 51)]).isEmpty)
        #expect(!findings([edited(goal: 3), issued(1), opened(goal: 2), stamped(1)]).isEmpty, "a card opened with the old goal")
    }

    @Test("A stamp beyond the daily cap or within the minimum gap is a finding, also after a clock is set back")
    func capsHold() {
        let capped = edited(goal: 5, caps: StampCaps(stampsPerDayMax: 2, minimumGapSeconds: 60))
        let two = [capped, issued(1), issued(2), issued(3), opened(goal: 5), stamped(1)]
        #expect(findings(two + [stamped(2, after: 60)]) == [])
        #expect(!findings(two + [stamped(2, after: 59)]).isEmpty)
        #expect(!findings(two + [stamped(2, after: 60), stamped(3, after: 60)]).isEmpty)
        // The clock was fast when the first stamp was given, and was then corrected. So the first stamp has a time in the future, which
        // does not block the second stamp.
        #expect(findings(two + [stamped(2, after: -3)]) == [])
        #expect(!findings(two + [stamped(2, after: -3), stamped(3, after: 1)]).isEmpty)
    }

    @Test("Caps apply across all cards of an account, and one code on several cards is counted once")
    func capsHoldOverCards() {
        let other = CardID(41)
        let capped = edited(goal: 1, caps: StampCaps(stampsPerDayMax: 1, minimumGapSeconds: nil))
        let one = [capped, issued(1), issued(2), opened(goal: 1), stamped(1)]
        #expect(findings(one) == [])
        #expect(!findings(one + [opened(other, goal: 1), stamped(2, on: other)]).isEmpty)
        let apart = edited(goal: 1, caps: StampCaps(stampsPerDayMax: nil, minimumGapSeconds: 60))
        let first = [apart, issued(1, stamps: 2), issued(2), opened(goal: 1), stamped(1, after: 0)]
        let two = first + [opened(other, goal: 1, after: 0), stamped(1, on: other, after: 0)]
        #expect(findings(two) == [])
        let third = CardID(42)
        #expect(!findings(two + [opened(third, goal: 1, after: 59), stamped(2, on: third, after: 0)]).isEmpty)
        #expect(findings(two + [opened(third, goal: 1, after: 60), stamped(2, on: third, after: 0)]) == [])
    }

    @Test("Only one card of an account collects at a time")
    func oneCollecting() {
        let other = CardID(41)
        let first = [issued(1), issued(2), issued(3), opened(), stamped(1)]
        #expect(findings(first + [stamped(2), opened(other), stamped(3, on: other)]) == [])
        #expect(!findings(first + [opened(other), stamped(2, on: other)]).isEmpty, "two collecting cards")
        let full = first + [stamped(2)]
        #expect(findings(full + [adjusted(-1)]) == [])
        #expect(!findings(full + [opened(other), stamped(3, on: other), adjusted(-1)]).isEmpty, "a full card collects beside another card")
    }

    @Test("A card without a stamp right after its opening is a finding, and so is a code that is not used up")
    func openedForStamp() {
        #expect(!findings([issued(1), issued(2), opened(), issued(3)]).isEmpty)
        #expect(!findings([issued(1), opened()], ends: true).isEmpty)
        #expect(!findings([issued(1, stamps: 2), opened(), stamped(1)], ends: true).isEmpty, "a code with a stamp left to give")
        #expect(findings([issued(1), opened(), stamped(1)], ends: true) == [])
    }
}
