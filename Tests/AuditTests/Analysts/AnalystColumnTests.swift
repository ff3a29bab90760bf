import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import PastStates
import Testing

/// Columns of exported tables whose values need a history with certain events.
@Suite struct AnalystColumnTests {
    private static let (owner, customer) = (AccountID(1), AccountID(2))
    private static let (shop, campaign, card) = (ShopID(10), CampaignID(20), CardID(30))
    private static let start = Instant(microseconds: 1_700_000_000_000_000)

    /// Exports tables of a log in which a shop was opened and its campaign was published before the given events.
    private func exported(_ tables: [String], _ events: [LoyaltyEvent], options: CampaignOptions = .none) throws -> AnalystSample {
        let opened = ShopOpened(
            shop: Self.shop, owner: Self.owner, name: "茶", phone: "123", address: "1", location: Coordinate(latitude: 1, longitude: 1))
        let terms = CampaignTerms<TypedText>(
            title: "Tea", details: "", goal: 1, reward: "One free cup", startsAt: Self.start,
            endsAt: Self.start.advanced(bySeconds: 100 * 86_400), options: options)
        let published = CampaignPublished(campaign: Self.campaign, shop: Self.shop, kind: .stampCard, terms: terms)
        let registered = [Self.owner, Self.customer].map { account in
            LoyaltyEvent.accountRegistered(AccountRegistered(account: account, phone: Secret(account.value), sealedPhone: Sealed([1])))
        }
        let all = registered + [.shopOpened(opened), .campaignPublished(published)] + events
        let facts = all.enumerated().map { index, event in
            Fact(position: UInt64(index) + 1, time: Self.start.advanced(bySeconds: Int64(index)), actor: Self.owner, event: event)
        }
        return try AnalystSample(try TestData.with(facts), .jsonl, tables: tables)
    }

    private var opening: LoyaltyEvent {
        .cardOpened(
            CardOpened(
                card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, goal: 1, reward: "One free cup"))
    }

    @Test("A card whose reward was handed out is still redeemed after its holder discarded it, until the reward is taken back")
    func discardedAfterTheReward() throws {
        let stamped = CardStamped(
            card: Self.card, code: CodeID(40), campaign: Self.campaign, shop: Self.shop, holder: Self.customer, stamps: 1)
        let requested = RedemptionRequested(
            redemption: RedemptionID(50), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer,
            secret: Secret(51), attempt: 0, expiresAt: Self.start.advanced(bySeconds: 900))
        let redeemed = CardRedeemed(
            redemption: RedemptionID(50), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)
        let discarded = CardDiscarded(card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer)
        let reversed = RedemptionReversed(
            redemption: RedemptionID(50), card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer,
            reason: "Wrong card")
        let filled = [opening, .cardStamped(stamped), .redemptionRequested(requested)]
        let cases: [(events: [LoyaltyEvent], state: String, redeemed: Bool)] = [
            (filled + [.cardRedeemed(redeemed), .cardDiscarded(discarded)], "discarded", true),
            (filled + [.cardDiscarded(discarded)], "discarded", false),
            (filled + [.cardRedeemed(redeemed), .redemptionReversed(reversed), .cardDiscarded(discarded)], "discarded", false),
        ]
        for (events, state, isRedeemed) in cases {
            let rows = try exported(["cards"], events).objects("cards")
            #expect(rows.count == 1 && rows.first?["state"] as? String == state)
            #expect(rows.first?["redeemed"] as? Bool == isRedeemed)
        }
    }

    @Test("A notice names its shop, its campaign and its only receiver, and its audience by the symbols of its id")
    func receiversOfNotices() throws {
        func posted(_ number: UInt128, _ audience: NoticeAudience) -> LoyaltyEvent {
            .noticePosted(
                NoticePosted(
                    notice: NoticeID(number), audience: audience, author: Self.owner, title: Sealed([1]), text: Sealed([2])))
        }
        let reminded = CardReminded(
            card: Self.card, campaign: Self.campaign, shop: Self.shop, holder: Self.customer, notice: NoticeID(63), daysLeft: 2,
            dueAt: Self.start)
        let events = [
            posted(60, .all), posted(61, .shop(Self.shop)), posted(62, .holders(Self.campaign, of: Self.shop)), opening,
            .cardReminded(reminded),
        ]
        let tables = try exported(["shops", "notices", "notice_audiences"], events)
        let (shop, campaign, holder) = (Self.shop.text, Self.campaign.text, Self.customer.text)
        let expected: [(notice: UInt128, shop: String?, campaign: String?, holder: String?, audience: String?)] = [
            (60, nil, nil, nil, nil), (61, shop, nil, nil, shop), (62, shop, campaign, nil, campaign), (63, shop, campaign, holder, holder),
        ]
        let (notices, audiences) = (try tables.objects("notices"), try tables.objects("notice_audiences"))
        #expect(notices.count == expected.count && audiences.count == expected.count)
        for line in expected {
            let id = NoticeID(line.notice).text
            let notice = try #require(notices.first { $0["notice"] as? String == id })
            #expect(notice["shop"] as? String == line.shop && notice["campaign"] as? String == line.campaign)
            #expect(notice["holder"] as? String == line.holder)
            let audience = try #require(audiences.first { $0["notice"] as? String == id })
            #expect(audience["audience"] as? String == line.audience.map { String($0.suffix(26)) })
        }
        // Every id in a column of shops is the id of a shop.
        let shops = try tables.objects("shops").map { $0["shop"] as? String }
        #expect(shops == [shop])
        #expect((notices + audiences).compactMap { $0["shop"] as? String }.allSatisfy { $0 == shop })
    }

    @Test("A campaign has the days for which its cards are valid, if it has a limit")
    func daysOfCards() throws {
        let limited = try exported(["campaigns"], [], options: CampaignOptions(cardValidDays: 30)).objects("campaigns")
        #expect(limited.count == 1 && limited.first?["card_valid_days"] as? Int == 30)
        let unlimited = try exported(["campaigns"], []).objects("campaigns")
        #expect(unlimited.count == 1 && unlimited.first?["card_valid_days"] is NSNull)
    }
}
