import Loyalty
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// Rules about saved searches. Each test breaks one rule in a history, and the rule book reports it.
@Suite struct SearchRulesTests {
    private static let (owner, customer, other) = (AccountID(1), AccountID(2), AccountID(3))
    private static let (shop, campaign, search) = (ShopID(10), CampaignID(20), SearchID(30))
    private static let start = Instant(microseconds: 1_700_000_000_000_000)
    private static let terms = Sealed(Array(repeating: 1, count: 40))
    private static let day: Int64 = 86_400

    /// A step and the seconds since the start.
    private typealias Step = (actor: AccountID, event: LoyaltyEvent, at: Int64)

    private func findings(_ steps: [Step]) -> [String] {
        var (book, found) = (RuleBook(), [String]())
        for (index, step) in (Self.opening + steps).enumerated() {
            let time = Self.start.advanced(bySeconds: step.at)
            found += book.apply(Fact(position: UInt64(index) + 1, time: time, actor: step.actor, event: step.event), mark: nil).map(\.what)
        }
        return found
    }

    private static let opening: [Step] =
        [owner, customer, other].map { account in
            (account, .accountRegistered(.init(account: account, phone: Secret(account.value), sealedPhone: Sealed([1]))), 0)
        } + [
            (
                owner,
                .shopOpened(
                    .init(shop: shop, owner: owner, name: "茶", phone: "123", address: "1", location: .init(latitude: 1, longitude: 1))), 0
            ),
            saved(),
            published(campaign),
        ]

    private static func saved(
        _ search: SearchID = search, _ terms: Sealed = terms, alerts: Bool = true, by actor: AccountID = customer
    ) -> Step {
        (actor, .searchSaved(.init(search: search, account: customer, terms: terms, alerts: alerts)), 0)
    }

    private static func published(_ campaign: CampaignID, for seconds: Int64 = 9_000_000) -> Step {
        let terms: CampaignTerms<TypedText> = CampaignTerms(
            title: "", details: "", goal: 2, reward: "", startsAt: start, endsAt: start.advanced(bySeconds: seconds))
        return (owner, .campaignPublished(.init(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)), 0)
    }

    private func edited(_ terms: Sealed = terms, alerts: Bool = true, by actor: AccountID = customer, at seconds: Int64 = 1) -> Step {
        (actor, .searchEdited(.init(search: Self.search, account: Self.customer, terms: terms, alerts: alerts)), seconds)
    }

    private func alerted(
        _ found: [CampaignID] = [campaign], notice: UInt128 = 1, through: UInt64 = 6, dueAt: Int64 = day, at seconds: Int64 = day,
        by actor: AccountID = .system
    ) -> Step {
        (
            actor,
            .searchAlerted(
                .init(
                    search: Self.search, account: Self.customer, notice: NoticeID(notice), dueAt: Self.start.advanced(bySeconds: dueAt),
                    through: SearchedThrough(through), campaigns: FoundCampaigns(found), hasMore: false)), seconds
        )
    }

    private func by(_ actor: AccountID, _ event: LoyaltyEvent, at seconds: Int64 = 1) -> Step { (actor, event, seconds) }

    @Test("A history that keeps the rules has no finding")
    func kept() {
        let removed = LoyaltyEvent.searchRemoved(.init(search: Self.search, account: Self.customer))
        let steps: [Step] = [
            edited(alerts: false), edited(at: 2), Self.published(CampaignID(21)),
            alerted([CampaignID(21)], through: 9, dueAt: Self.day + 2, at: Self.day + 2),
            by(Self.customer, .searchSeen(.init(search: Self.search, account: Self.customer)), at: Self.day + 3),
            by(Self.customer, removed, at: Self.day + 4),
        ]
        #expect(findings(steps).isEmpty, "\(findings(steps))")
        #expect(findings([alerted()]).isEmpty)
    }

    @Test("Each broken rule is found")
    func broken() {
        let again = [alerted(), Self.published(CampaignID(21))]
        let cases: [(rule: String, steps: [Step])] = [
            ("saved by somebody else", [Self.saved(SearchID(31), by: Self.other)]),
            ("saved before", [Self.saved()]),
            ("bytes of terms", [Self.saved(SearchID(31), Sealed([1]))]),
            ("more than 50", (0..<50).map { Self.saved(SearchID(40 + $0)) }),
            ("changed by somebody else", [edited(alerts: false, by: Self.other)]),
            ("changed nothing", [edited()]),
            (
                "is not a saved search",
                [
                    by(Self.customer, .searchRemoved(.init(search: Self.search, account: Self.customer))), edited(alerts: false),
                ]
            ),
            ("acted on it", [alerted(by: Self.customer)]),
            ("too early", [alerted(at: Self.day - 1)]),
            ("due at another time", [alerted(dueAt: Self.day - 1)]),
            ("too early", again + [alerted([CampaignID(21)], notice: 2, through: 8, dueAt: 2 * Self.day)]),
            ("posted before", again + [alerted([CampaignID(21)], through: 8, dueAt: 2 * Self.day)]),
            ("has no alerts", [edited(alerts: false), alerted(dueAt: Self.day + 1, at: Self.day + 1)]),
            ("searched up to", [alerted(through: 7)]),
            (
                "which is not new",
                [by(Self.customer, .searchSeen(.init(search: Self.search, account: Self.customer))), alerted(through: 7)]
            ),
            ("never published", [alerted([CampaignID(99)])]),
            ("which is over", [by(Self.owner, .campaignEnded(.init(campaign: Self.campaign, shop: Self.shop))), alerted()]),
            ("which is muted", [by(Self.customer, .shopMuted(.init(shop: Self.shop, account: Self.customer))), alerted()]),
            ("suspended or closed", [by(Self.other, .shopSuspended(.init(shop: Self.shop, reason: "Spam"))), alerted()]),
            ("after its account was erased", [by(Self.customer, .accountErased(.init(account: Self.customer))), alerted()]),
        ]
        for (rule, steps) in cases {
            #expect(findings(steps).contains { $0.contains(rule) }, "\(rule): \(findings(steps))")
        }
    }
}
