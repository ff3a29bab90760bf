import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// The rule book finds violations of the rules for a campaign that several shops share. It reads nothing but the events.
@Suite struct BranchRulesTests {
    private typealias Step = OfficeRulesTests.Step
    private static let (owner, customer, clerk) = (OfficeRulesTests.owner, OfficeRulesTests.customer, OfficeRulesTests.member)
    private static let (home, branch, strange) = (OfficeRulesTests.shop, ShopID(11), ShopID(12))
    private static let (campaign, card) = (OfficeRulesTests.campaign, OfficeRulesTests.card)
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    private func findings(_ steps: [Step]) -> [String] { OfficeRulesTests().findings(Self.brand + steps) }

    private static func opened(_ shop: ShopID, by owner: AccountID) -> Step {
        let contact = ShopContact(name: "x", phone: "1", address: "x", location: Coordinate(latitude: 1, longitude: 1))
        return Step(actor: owner, event: .shopOpened(.init(shop: shop, owner: owner, contact: .clear(contact))))
    }

    private static let brand = [
        opened(branch, by: owner), opened(strange, by: customer),
        Step(actor: owner, event: .staffAdded(.init(shop: branch, account: clerk))),
    ]

    private func shared(_ shops: [ShopID], by actor: AccountID = owner) -> Step {
        Step(
            actor: actor,
            event: .campaignEdited(
                .init(
                    campaign: Self.campaign, shop: Self.home,
                    terms: CampaignTerms(
                        title: "shared", details: "", goal: 2, reward: "", startsAt: Self.start,
                        endsAt: Self.start.advanced(bySeconds: 9_000_000), options: CampaignOptions(shops: shops)))))
    }

    private func issued(_ number: UInt128, at shop: ShopID = branch, by actor: AccountID = clerk, stamps: Int = 2) -> Step {
        Step(
            actor: actor,
            event: .codeIssued(
                .init(
                    code: .init(number), campaign: Self.campaign, shop: shop, home: Self.home, secret: Secret(number), attempt: 0,
                    stamps: stamps,
                    expiresAt: Self.start.advanced(bySeconds: 86_400))))
    }

    private var filled: [Step] {
        [
            Step(
                actor: Self.customer,
                event: .cardOpened(
                    .init(
                        card: Self.card, campaign: Self.campaign, shop: Self.branch, home: Self.home, holder: Self.customer, goal: 2,
                        reward: ""))),
            Step(
                actor: Self.customer,
                event: .cardStamped(
                    .init(
                        card: Self.card, code: .init(1), campaign: Self.campaign, shop: Self.branch, home: Self.home, holder: Self.customer,
                        stamps: 2)), seconds: 0),
        ]
    }

    private func redeemed(at shop: ShopID = branch, by actor: AccountID = clerk) -> [Step] {
        [
            Step(
                actor: Self.customer,
                event: .redemptionRequested(
                    .init(
                        redemption: .init(50), card: Self.card, campaign: Self.campaign, shop: Self.home, holder: Self.customer,
                        secret: Secret(51), attempt: 0, expiresAt: Self.start.advanced(bySeconds: 200)))),
            Step(
                actor: actor,
                event: .cardRedeemed(
                    .init(
                        redemption: .init(50), card: Self.card, campaign: Self.campaign, shop: shop, home: Self.home, holder: Self.customer)
                )),
        ]
    }

    @Test("A card filled and redeemed at another shop of its campaign breaks no rule")
    func atBranch() { #expect(findings([shared([Self.branch]), issued(1)] + filled + redeemed()) == []) }

    @Test("A campaign is shared only with other shops of its owner, each named once")
    func sharedShops() {
        #expect(!findings([shared([Self.strange])]).isEmpty)
        #expect(!findings([shared([Self.branch, Self.branch])]).isEmpty)
        #expect(!findings([shared([Self.home])]).isEmpty)
        #expect(!findings([shared([ShopID(99)])]).isEmpty)
    }

    @Test("A code or reward at a shop that the campaign does not name, or no longer names, is a finding")
    func unnamedShop() {
        #expect(!findings([issued(1)]).isEmpty)
        #expect(!findings([shared([Self.branch]), issued(1, at: Self.strange, by: Self.customer)]).isEmpty)
        #expect(!findings([shared([Self.branch]), shared([]), issued(1)]).isEmpty, "a code issued at a shop that had left the campaign")
        #expect(findings([shared([Self.branch]), issued(1), shared([])] + filled) == [], "a code from a shop that has left since")
        #expect(!findings([shared([Self.branch]), issued(1), shared([])] + filled + redeemed()).isEmpty, "a reward at a shop that left")
    }

    @Test("A stamp or a reward for a person who works at a shop of the campaign is a finding")
    func branchStaff() {
        let hired = Step(actor: Self.owner, event: .staffAdded(.init(shop: Self.branch, account: Self.customer)))
        #expect(!findings([shared([Self.branch]), issued(1), hired] + filled).isEmpty)
        #expect(!findings([shared([Self.branch]), issued(1)] + filled + [hired] + redeemed()).isEmpty)
    }

    @Test("A paper card is stamped at any shop of the campaign and taken by nobody who works there")
    func branchPaper() {
        let paper = PaperName(print: .init(900), number: 1)
        let printed = Step(
            actor: Self.owner,
            event: .paperCardsPrinted(
                .init(print: paper.print, campaign: Self.campaign, shop: Self.home, secret: Secret(901), attempt: 0, count: 2)))
        func waiting(_ shop: ShopID) -> Step {
            Step(
                actor: Self.clerk,
                event: .paperStamped(
                    .init(paper: paper, code: .init(1), campaign: Self.campaign, shop: shop, home: Self.home, stamps: 2)), seconds: 0)
        }
        let taken = Step(
            actor: Self.customer,
            event: .paperCardTaken(.init(paper: paper, campaign: Self.campaign, shop: Self.home, holder: Self.customer, stamps: 2)))
        let cards = filled.map { Step(actor: $0.actor, event: $0.event, seconds: 0) }
        let stamped = [shared([Self.branch]), printed, issued(1), waiting(Self.branch)]
        #expect(findings(stamped + [taken] + cards) == [])
        #expect(findings(stamped + [shared([]), taken] + cards) == [], "a paper card taken after the shop has left the campaign")
        #expect(!findings([shared([Self.branch]), printed, issued(1), waiting(Self.strange)]).isEmpty)
        let hired = Step(actor: Self.owner, event: .staffAdded(.init(shop: Self.branch, account: Self.customer)))
        #expect(!findings(stamped + [hired, taken] + cards).isEmpty)
    }

    private func opened(_ card: CardID, at shop: ShopID = branch, home: ShopID? = home, goal: Int = 2) -> Step {
        Step(
            actor: Self.customer,
            event: .cardOpened(
                .init(card: card, campaign: Self.campaign, shop: shop, home: home, holder: Self.customer, goal: goal, reward: "")),
            seconds: 0)
    }

    private func stamped(
        _ number: UInt128, on card: CardID, _ stamps: Int = 1, worth: Int? = nil, at shop: ShopID = branch, home: ShopID? = home
    ) -> Step {
        Step(
            actor: Self.customer,
            event: .cardStamped(
                .init(
                    card: card, code: .init(number), campaign: Self.campaign, shop: shop, home: home, holder: Self.customer, stamps: stamps,
                    worth: worth)), seconds: 0)
    }

    private func tookBack(_ number: UInt128, from card: CardID, by actor: AccountID = clerk) -> Step {
        Step(
            actor: actor,
            event: .stampReversed(
                .init(
                    card: card, code: .init(number), campaign: Self.campaign, shop: Self.branch, home: Self.home, holder: Self.customer,
                    stamps: 1, reason: "x")), seconds: 0)
    }

    private func discarded(_ card: CardID, by actor: AccountID = clerk, at shop: ShopID = home) -> Step {
        Step(actor: actor, event: .cardDiscarded(.init(card: card, campaign: Self.campaign, shop: shop, holder: Self.customer)), seconds: 0)
    }

    /// A code of two stamps was used on two cards: its first stamp filled the first card, and its second stamp is on the second card.
    private var spread: [Step] {
        let second = CardID(41)
        return [shared([Self.branch]), issued(1, stamps: 1), issued(2)] + [opened(Self.card), stamped(1, on: Self.card)]
            + [stamped(2, on: Self.card), opened(second), stamped(2, on: second)]
    }

    @Test("A shop that has left the campaign takes its stamps back, with the card that the reversal empties")
    func leftAndTakesBack() {
        let second = CardID(41)
        let reversal = [tookBack(2, from: second), discarded(second), tookBack(2, from: Self.card)]
        #expect(findings(spread + reversal) == [])
        #expect(findings(spread + [shared([])] + reversal) == [], "a reversal by a shop that has left the campaign")
        let sale = Step(
            actor: Self.customer,
            event: .shopTransferred(.init(invitation: .init(9), shop: Self.branch, account: Self.customer, formerOwner: Self.owner)))
        #expect(findings(spread + [sale] + reversal).contains { $0.contains("discarded") } == false, "discarding at a sold shop")
        #expect(!findings(spread + [shared([]), tookBack(2, from: second), discarded(second)] + redeemed()).isEmpty, "no reversal follows")
        #expect(!findings(spread + [discarded(second)]).isEmpty, "a discarded card that still has stamps")
        let owner = [discarded(second, by: Self.owner), tookBack(2, from: Self.card)]
        #expect(!findings(spread + [tookBack(2, from: second)] + owner).isEmpty, "one account reverses, another discards")
    }

    @Test("The stamps of a shop that has closed are taken back only by people of the campaign's own shop")
    func closedAndTakenBack() {
        let given = [shared([Self.branch]), issued(1, stamps: 1), opened(Self.card), stamped(1, on: Self.card)]
        let end = Self.start.advanced(bySeconds: 100)
        let closed = Step(actor: Self.owner, event: .shopClosed(.init(shop: Self.branch, redeemUntil: end, erasesContact: false)))
        func late(_ actor: AccountID) -> Step { Step(actor: actor, event: tookBack(1, from: Self.card, by: actor).event, seconds: 200) }
        #expect(findings(given + [closed, tookBack(1, from: Self.card)]) == [])
        #expect(findings(given + [closed, late(Self.owner)]) == [])
        #expect(!findings(given + [closed, late(Self.clerk)]).isEmpty)
    }

    @Test("A card is opened at the shop where it is stamped first, and a code gives all its stamps at one shop")
    func onePlace() {
        let begin = [shared([Self.branch]), issued(1, stamps: 1)]
        #expect(findings(begin + [opened(Self.card), stamped(1, on: Self.card)]) == [])
        #expect(!findings(begin + [opened(Self.card, at: Self.strange), stamped(1, on: Self.card)]).isEmpty)
        #expect(!findings(begin + [opened(Self.card, at: Self.home, home: nil), stamped(1, on: Self.card)]).isEmpty)
        let second = CardID(41)
        let apart = [stamped(2, on: Self.card), opened(second, at: Self.home, home: nil), stamped(2, on: second, at: Self.home, home: nil)]
        #expect(!findings(Array(spread.dropLast(3)) + apart).isEmpty)
    }

    @Test("All requests of a holder belong to the campaign's own shop")
    func atHome() {
        let full = [shared([Self.branch]), issued(1)] + filled
        func requested(at shop: ShopID) -> Step {
            Step(
                actor: Self.customer,
                event: .redemptionRequested(
                    .init(
                        redemption: .init(50), card: Self.card, campaign: Self.campaign, shop: shop, holder: Self.customer,
                        secret: Secret(51), attempt: 0, expiresAt: Self.start.advanced(bySeconds: 200))))
        }
        #expect(findings(full + [requested(at: Self.home)]) == [])
        #expect(!findings(full + [requested(at: Self.branch)]).isEmpty)
        #expect(findings(full + [discarded(Self.card, by: Self.customer)]) == [])
        #expect(!findings(full + [discarded(Self.card, by: Self.customer, at: Self.branch)]).isEmpty)
        let milestone = Step(
            actor: Self.customer,
            event: .milestoneRequested(
                .init(
                    redemption: .init(50), card: Self.card, campaign: Self.campaign, shop: Self.branch, holder: Self.customer,
                    secret: Secret(51), milestone: 1, attempt: 0, expiresAt: Self.start.advanced(bySeconds: 200))))
        #expect(findings(full + [milestone]).contains { $0.contains("is not of shop") })
    }

    @Test("A coupon is claimed at its campaign's own shop, and at none of the other shops")
    func coupon() {
        let id = CampaignID(29)
        let published = Step(
            actor: Self.owner,
            event: .campaignPublished(
                .init(
                    campaign: id, shop: Self.home, kind: .coupon,
                    terms: CampaignTerms(
                        title: "", details: "", goal: 0, reward: "", startsAt: Self.start,
                        endsAt: Self.start.advanced(bySeconds: 9_000_000),
                        options: CampaignOptions(shops: [Self.branch])))))
        func claimed(at shop: ShopID, home: ShopID?) -> Step {
            Step(
                actor: Self.customer,
                event: .cardOpened(.init(card: Self.card, campaign: id, shop: shop, home: home, holder: Self.customer, goal: 0, reward: ""))
            )
        }
        #expect(findings([published, claimed(at: Self.home, home: nil)]) == [])
        #expect(!findings([published, claimed(at: Self.branch, home: Self.home)]).isEmpty)
        #expect(!findings([published, claimed(at: Self.strange, home: Self.home)]).isEmpty)
    }

    @Test("A suspended shop issues and redeems nothing for a shared campaign and cannot join one")
    func suspendedBranch() {
        let suspended = Step(actor: Self.owner, event: .shopSuspended(.init(shop: Self.branch, reason: "x")))
        #expect(!findings([shared([Self.branch]), suspended, issued(1)]).isEmpty)
        #expect(!findings([suspended, shared([Self.branch])]).isEmpty)
        let third = ShopID(13)
        let begin = [Self.opened(third, by: Self.owner), shared([Self.branch]), suspended]
        #expect(findings(begin + [shared([Self.branch, third])]) == [], "a suspended shop that took part before may stay")
        #expect(!findings(begin + [shared([]), shared([Self.branch, third])]).isEmpty, "a suspended shop does not come back")
        #expect(!findings([shared([Self.branch]), issued(1)] + filled + [suspended] + redeemed()).isEmpty)
    }
}
