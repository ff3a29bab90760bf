import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive

/// Rules about campaigns of several shops, judged from events alone.
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

    private func issued(_ number: UInt128, at shop: ShopID = branch, by actor: AccountID = clerk) -> Step {
        Step(
            actor: actor,
            event: .codeIssued(
                .init(
                    code: .init(number), campaign: Self.campaign, shop: shop, home: Self.home, secret: Secret(number), attempt: 0,
                    stamps: 2,
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

    @Test func aCardIsFilledAndRedeemedAtABranch() {
        #expect(findings([shared([Self.branch]), issued(1)] + filled + redeemed()) == [])
    }

    @Test func aCampaignIsSharedWithShopsOfItsOwnerOnly() {
        #expect(!findings([shared([Self.strange])]).isEmpty)
        #expect(!findings([shared([Self.branch, Self.branch])]).isEmpty)
        #expect(!findings([shared([Self.home])]).isEmpty)
        #expect(!findings([shared([ShopID(99)])]).isEmpty)
    }

    @Test func nothingHappensAtAShopThatTheCampaignDoesNotName() {
        #expect(!findings([issued(1)]).isEmpty)
        #expect(!findings([shared([Self.branch]), issued(1, at: Self.strange, by: Self.customer)]).isEmpty)
        #expect(!findings([shared([Self.branch]), shared([]), issued(1)]).isEmpty, "taken out before")
        #expect(findings([shared([Self.branch]), issued(1), shared([])] + filled) == [], "a code outlives it")
        #expect(!findings([shared([Self.branch]), issued(1), shared([])] + filled + redeemed()).isEmpty, "a reward does not")
    }

    @Test func nobodyWhoWorksAtABranchIsACustomer() {
        let hired = Step(actor: Self.owner, event: .staffAdded(.init(shop: Self.branch, account: Self.customer)))
        #expect(!findings([shared([Self.branch]), issued(1), hired] + filled).isEmpty)
        #expect(!findings([shared([Self.branch]), issued(1)] + filled + [hired] + redeemed()).isEmpty)
    }

    @Test func aPaperIsStampedAtABranchAndTaken() {
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
        #expect(findings(stamped + [shared([]), taken] + cards) == [], "what waits outlives it")
        #expect(!findings([shared([Self.branch]), printed, issued(1), waiting(Self.strange)]).isEmpty)
        let hired = Step(actor: Self.owner, event: .staffAdded(.init(shop: Self.branch, account: Self.customer)))
        #expect(!findings(stamped + [hired, taken] + cards).isEmpty)
    }

    @Test func aSuspendedBranchSharesNothing() {
        let suspended = Step(actor: Self.owner, event: .shopSuspended(.init(shop: Self.branch, reason: "x")))
        #expect(!findings([shared([Self.branch]), suspended, issued(1)]).isEmpty)
        #expect(!findings([suspended, shared([Self.branch])]).isEmpty)
        #expect(!findings([shared([Self.branch]), issued(1)] + filled + [suspended] + redeemed()).isEmpty)
    }
}
