import EventLog
import Loyalty
import Patience
import ReadModels
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// The events that an account's streams show.
@Suite(.timeLimit(.minutes(15))) struct LiveInterestTests {
    private static let (clerk, holder) = (AccountID(1), AccountID(2))
    private static let (shop, other) = (ShopID(7), ShopID(8))

    private static func fact(_ position: UInt64, _ event: LoyaltyEvent, by actor: AccountID = AccountID(9)) -> Fact {
        Fact(position: position, time: Instant(microseconds: Int64(position)), actor: actor, event: event)
    }

    private static func issued(_ position: UInt64, at shop: ShopID = shop) -> Fact {
        let code = CodeIssued(
            code: CodeID(1), campaign: CampaignID(5), shop: shop, secret: Secret(1), attempt: 0, stamps: 1,
            expiresAt: Instant(microseconds: 1_000))
        return fact(position, .codeIssued(code))
    }

    @Test("A member of staff is shown the shop's events while employed, and no others")
    func whileEmployed() {
        var interest = LiveInterest(of: Self.clerk)
        #expect(!interest.wants(Self.issued(1)))
        interest.note(Self.fact(2, .staffAdded(StaffAdded(shop: Self.shop, account: Self.clerk))))
        #expect(!interest.wants(Self.issued(1)), "events before the employment are not shown")
        #expect(interest.wants(Self.issued(3)))
        #expect(!interest.wants(Self.issued(3, at: Self.other)))
        interest.note(Self.fact(4, .staffRemoved(StaffRemoved(shop: Self.shop, account: Self.holder))))
        #expect(interest.wants(Self.issued(5)), "the end of another account's employment changes nothing")
        interest.note(Self.fact(6, .staffRemoved(StaffRemoved(shop: Self.shop, account: Self.clerk))))
        #expect(!interest.wants(Self.issued(7)))
        interest.note(Self.fact(8, .staffAdded(StaffAdded(shop: Self.shop, account: Self.clerk))))
        #expect(interest.wants(Self.issued(9)))
    }

    @Test("Members of staff see their shop until their employment ends")
    func joined() {
        var interest = LiveInterest(of: Self.clerk)
        let end = Instant(microseconds: 9)
        interest.note(
            Self.fact(1, .staffInvited(.init(invitation: .init(9), shop: Self.shop, account: Self.clerk, expiresAt: end))))
        #expect(!interest.wants(Self.issued(2)), "an offer of work shows no events of the shop")
        interest.note(Self.fact(3, .staffJoined(StaffJoined(invitation: .init(9), shop: Self.shop, account: Self.clerk))))
        #expect(interest.wants(Self.issued(4)))
        interest.note(Self.fact(5, .employmentEnded(EmploymentEnded(shop: Self.shop, account: Self.clerk))))
        #expect(!interest.wants(Self.issued(6)))
    }

    @Test("Notices posted during a mute are not streamed, and those before and after are")
    func muted() {
        func posted(_ position: UInt64) -> Fact {
            let notice = NoticePosted(
                notice: NoticeID(1), audience: .shop(Self.shop), author: Self.clerk, title: Sealed([1]), text: Sealed([1]))
            return Self.fact(position, .noticePosted(notice))
        }
        var interest = LiveInterest(of: Self.holder)
        let opened = CardOpened(card: CardID(4), campaign: CampaignID(5), shop: Self.shop, holder: Self.holder, goal: 3, reward: "")
        interest.note(Self.fact(1, .cardOpened(opened)))
        interest.note(Self.fact(3, .shopMuted(ShopMuted(shop: Self.shop, account: Self.clerk))))
        #expect(interest.wants(posted(4)), "a mute by another account changes nothing")
        interest.note(Self.fact(5, .shopMuted(ShopMuted(shop: Self.shop, account: Self.holder))))
        #expect(interest.wants(posted(2)) && !interest.wants(posted(6)))
        interest.note(Self.fact(7, .shopUnmuted(ShopUnmuted(shop: Self.shop, account: Self.holder))))
        #expect(!interest.wants(posted(6)) && interest.wants(posted(8)))
    }

    @Test("Notices to the holders of a campaign's cards are streamed to accounts that hold such a card")
    func holders() {
        let campaign = CampaignID(5)
        func posted(_ position: UInt64) -> Fact {
            let notice = NoticePosted(
                notice: NoticeID(1), audience: .holders(campaign, of: Self.shop), author: Self.clerk, title: Sealed([1]), text: Sealed([1]))
            return Self.fact(position, .noticePosted(notice))
        }
        var interest = LiveInterest(of: Self.holder)
        let (card, reward): (CardID, TypedText) = (CardID(4), "")
        #expect(!interest.wants(posted(1)))
        interest.note(
            Self.fact(
                2, .cardOpened(.init(card: card, campaign: campaign, shop: Self.shop, holder: Self.holder, goal: 3, reward: reward))))
        #expect(interest.wants(posted(3)))
        interest.note(
            Self.fact(4, .cardDiscarded(.init(card: card, campaign: campaign, shop: Self.shop, holder: Self.holder))))
        #expect(!interest.wants(posted(5)) && interest.wants(posted(3)), "an earlier notice that was for the account is still for it")
        interest.note(
            Self.fact(
                6, .cardOpened(.init(card: CardID(5), campaign: campaign, shop: Self.shop, holder: Self.holder, goal: 3, reward: reward))))
        #expect(!interest.wants(posted(5)) && interest.wants(posted(7)), "a notice from before the card is not for its holder")
    }

    @Test("Ranges in which cards were held are kept only as long as the stream has yet to read them")
    func forgetting() {
        var interest = LiveInterest(of: Self.holder)
        let (campaign, reward): (CampaignID, TypedText) = (CampaignID(5), "")
        for number in 0..<100 as Range<UInt64> {
            let card = CardID(UInt128(number))
            let opened = CardOpened(card: card, campaign: campaign, shop: Self.shop, holder: Self.holder, goal: 3, reward: reward)
            interest.note(Self.fact(3 * number + 1, .cardOpened(opened)))
            interest.note(
                Self.fact(3 * number + 2, .cardDiscarded(.init(card: card, campaign: campaign, shop: Self.shop, holder: Self.holder))))
        }
        #expect(interest.held[campaign]?.stretches.count == 100)
        interest.forget(through: Position(3 * 50 + 1))
        #expect(interest.held[campaign]?.stretches.count == 50)
        interest.forget(through: Position(1_000))
        #expect(interest.held.isEmpty)
    }

    @Test("Streams of the shop's staff show reversed stamps")
    func stampReversal() {
        let reversed = StampReversed(
            card: CardID(4), code: CodeID(1), campaign: CampaignID(5), shop: Self.shop, holder: Self.holder, stamps: 2, reason: "Refund")
        let fact = Self.fact(5, .stampReversed(reversed))
        var clerk = LiveInterest(of: Self.clerk)
        #expect(!clerk.wants(fact) && LiveInterest(of: Self.holder).wants(fact))
        clerk.note(Self.fact(2, .staffAdded(StaffAdded(shop: Self.shop, account: Self.clerk))))
        #expect(clerk.wants(fact))
    }

    @Test("A reversal is shown only to the card's holder and the shop's staff")
    func reversal() {
        let reversed = Self.fact(
            5,
            .redemptionReversed(
                RedemptionReversed(
                    redemption: RedemptionID(3), card: CardID(4), campaign: CampaignID(5), shop: Self.shop, holder: Self.holder,
                    reason: "The wrong card")))
        #expect(LiveInterest(of: Self.holder).wants(reversed))
        #expect(!LiveInterest(of: Self.clerk).wants(reversed))
        var clerk = LiveInterest(of: Self.clerk)
        clerk.note(Self.fact(2, .staffAdded(StaffAdded(shop: Self.shop, account: Self.clerk))))
        #expect(clerk.wants(reversed))
    }

    /// The hub routes events while a stream is being loaded. The test loads the stream itself, so that the sale comes in between.
    @Test("A former owner whose shop is sold while the stream is loaded sees no later events of the shop", .fewAtOnce)
    func soldWhileLoading() async throws {
        let site = try Site()
        let service = site.service
        let shop = try await TeaShop.open(on: service)
        let buyer = try await customer(1, on: service)
        let offered = try await service.offerTransfer(of: shop.shop, to: buyer.account, by: shop.owner)
        guard case .transferOffered(let offer) = offered.facts.first?.event else { throw TestFailure("no offer") }
        let stream = try service.live.open(for: shop.owner.account)
        let (start, now) = (stream.startsAfter, service.live.now)
        service.live.state.withLock { state in
            let routed = state.routed
            for number in state.feeds.keys { _ = state.feeds[number]?.step(routed: routed, mayRead: true, now: now) }
        }
        let loaded = try await LiveInterest.load(of: shop.owner.account, NoticePlaces(), from: service.log, after: start, through: start)
        #expect(loaded.workplaces[shop.shop] != nil)
        let accepted = try await service.submit(.acceptInvitation(AcceptInvitation(invitation: offer.invitation)), by: buyer)
        let isSale = { (fact: Fact) in if case .shopTransferred = fact.event { true } else { false } }
        let sale = try #require(accepted.facts.first(where: isSale))
        try await eventually("the sale is routed") { service.live.state.withLock { $0.routed.rawValue >= sale.position } }
        let interest = service.live.state.withLock { state -> LiveInterest? in
            let routed = state.routed
            for number in state.feeds.keys { state.feeds[number]?.attach(loaded, routed: routed) }
            return state.feeds.values.first?.interest
        }
        #expect(try #require(interest).workplaces.isEmpty)
        stream.end(.gone)
    }
}
