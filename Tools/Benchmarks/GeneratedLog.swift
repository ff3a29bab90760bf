import CommandService
import EventLog
import Loyalty
import LoyaltyCodec

/// A valid log of a busy shop: cards are opened, filled by ten codes, and redeemed; some customers rate the shop.
struct GeneratedLog {
    private static let customersMax = 10_000
    private static let first = Instant(microseconds: 1_700_000_000_000_000)
    private static let batchEvents = 1_024
    private let events: Int
    private let customers: UInt64
    private let shop = ShopID(1)
    private let campaign = CampaignID(2)
    private let staff = AccountID(3)

    init(events: Int) {
        self.events = events
        customers = UInt64(min(Self.customersMax, max(1, events / 1_000)))
    }

    func write(to data: DataFolder) throws {
        let log = try data.log(.readWrite)
        let appender = try log.appender()
        var written = 0
        var number: UInt64 = 0
        while written < events {
            let now = Self.first.advanced(byMilliseconds: written)
            for (actor, event) in (number == 0 ? opening : []) + life(ofCard: number, at: now) where written < events {
                written += 1
                // A card's first stamp must follow its opening, so a registration replaces an opening as last event.
                let (actor, event) = written == events && event.opensCard ? (staff, Self.registered(AccountID(4))) : (actor, event)
                let time = Self.first.advanced(byMilliseconds: written)
                _ = try appender.stage(LoyaltyCodec.encode(event, by: actor, at: time, mark: mark(written)))
                if written % Self.batchEvents == 0 { try appender.commit() }
            }
            number += 1
        }
        try appender.commit()
        try log.close()
    }

    private var opening: [(AccountID, LoyaltyEvent)] {
        let opened = ShopOpened(
            shop: shop, owner: staff, name: "A busy shop", phone: "010-1234 5678", address: "1 Nanjing Road",
            location: Coordinate(latitude: 31.2304, longitude: 121.4737))
        let published = CampaignPublished(
            campaign: campaign, shop: shop, kind: .stampCard,
            terms: CampaignTerms(
                title: "Ten cups", details: "Any drink counts.", goal: 10, reward: "A cup", startsAt: Self.first,
                endsAt: Self.first.advanced(byMilliseconds: 1 << 40)))
        return [(staff, Self.registered(staff)), (staff, .shopOpened(opened)), (staff, .campaignPublished(published))]
    }

    /// The sealed phone number is filler that no key opens.
    static func registered(_ account: AccountID) -> LoyaltyEvent {
        let phone = Secret(scattered(UInt64(truncatingIfNeeded: account.value), 14))
        return .accountRegistered(AccountRegistered(account: account, phone: phone, sealedPhone: Sealed([UInt8](repeating: 1, count: 42))))
    }

    /// One card's events with their actors, from the first code to the redemption, sometimes with a registration before and a review after.
    private func life(ofCard number: UInt64, at now: Instant) -> [(AccountID, LoyaltyEvent)] {
        let card = CardID(Self.scattered(number, 5))
        let holder = AccountID(Self.scattered(number % customers, 6))
        var life: [(AccountID, LoyaltyEvent)] = number < customers ? [(holder, Self.registered(holder))] : []
        for cup in 0..<UInt64(10) {
            let code = CodeID(Self.scattered(number * 10 + cup, 7))
            let issued = CodeIssued(
                code: code, campaign: campaign, shop: shop, secret: Secret(Self.scattered(number * 10 + cup, 8)), attempt: 0, stamps: 1,
                expiresAt: now.advanced(bySeconds: 600))
            life.append((staff, .codeIssued(issued)))
            if cup == 0 {
                let opened = CardOpened(card: card, campaign: campaign, shop: shop, holder: holder, goal: 10, reward: "A cup")
                life.append((holder, .cardOpened(opened)))
            }
            life.append(
                (holder, .cardStamped(CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: 1))))
        }
        let redemption = RedemptionID(Self.scattered(number, 9))
        let requested = RedemptionRequested(
            redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder, secret: Secret(Self.scattered(number, 10)),
            attempt: 0, expiresAt: now.advanced(bySeconds: 300))
        life.append((holder, .redemptionRequested(requested)))
        life.append(
            (staff, .cardRedeemed(CardRedeemed(redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder))))
        if number % 20 == 0 {
            let review = ReviewPosted(
                review: ReviewID(Self.scattered(number, 11)), shop: shop, author: holder, rating: Int(number / 20 % 5) + 1, text: nil)
            life.append((holder, .reviewPosted(review)))
        }
        return life
    }

    private func mark(_ number: Int) -> RequestMark {
        RequestMark(request: Self.scattered(UInt64(number), 12), digest: Self.scattered(UInt64(number), 13))
    }

    /// Looks random like a hash, but is the same in every run. Another `purpose` gives another number.
    static func scattered(_ number: UInt64, _ purpose: UInt64) -> UInt128 {
        var words: [UInt64] = []
        var state = number &* 0x9E37_79B9_7F4A_7C15 &+ purpose
        for _ in 0..<2 {
            state &+= 0x9E37_79B9_7F4A_7C15
            var word = state
            word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
            word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
            words.append(word ^ (word >> 31))
        }
        return UInt128(words[0]) << 64 | UInt128(words[1])
    }
}

extension DataFolder {
    func log(_ access: EventLog.Access) throws -> EventLog {
        try EventLog(directory: log, index: index, schema: LoyaltySchema.schema, access: access, created: Timestamp(microseconds: 0))
    }
}

extension Instant {
    /// Events of a generated log are a millisecond apart.
    fileprivate func advanced(byMilliseconds count: Int) -> Instant { Instant(microseconds: microseconds + Int64(count) * 1_000) }
}

extension LoyaltyEvent {
    fileprivate var opensCard: Bool {
        if case .cardOpened = self { true } else { false }
    }
}
