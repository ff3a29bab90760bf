import EventLog
import Loyalty
import LoyaltyCodec

/// A shop with a campaign, for the events of generated logs.
struct Counter {
    /// An event and its actor.
    typealias Act = (actor: AccountID, event: LoyaltyEvent)

    static let goal = 10
    /// The reward of a full card.
    static let reward: TypedText = "A cup"

    let shop: ShopID
    let campaign: CampaignID
    let staff: AccountID

    /// The sealed phone number is filler that no key opens.
    static func registered(_ account: AccountID) -> Act {
        let phone = Secret(scattered(UInt64(truncatingIfNeeded: account.value), 14))
        let sealed = Sealed([UInt8](repeating: 1, count: 42))
        return (account, .accountRegistered(AccountRegistered(account: account, phone: phone, sealedPhone: sealed)))
    }

    /// Registers the owner and opens the shop.
    func founded(
        _ name: String, at place: Coordinate = Coordinate(latitude: 31.2304, longitude: 121.4737), address: String = "1 Nanjing Road"
    ) -> [Act] {
        let opened = ShopOpened(shop: shop, owner: staff, name: name, phone: "010-1234 5678", address: address, location: place)
        return [Self.registered(staff), (staff, .shopOpened(opened))]
    }

    func published(
        _ title: TypedText = "Ten cups", details: TypedText = "Any drink counts.", from begin: Instant, to end: Instant,
        options: CampaignOptions = CampaignOptions()
    ) -> Act {
        let terms = CampaignTerms(
            title: title, details: details, goal: Self.goal, reward: Self.reward, startsAt: begin, endsAt: end, options: options)
        return (staff, .campaignPublished(CampaignPublished(campaign: campaign, shop: shop, kind: .stampCard, terms: terms)))
    }

    /// - Parameter number: the code's among those of all shops.
    func issued(_ code: CodeID, number: UInt64, at now: Instant) -> Act {
        let issued = CodeIssued(
            code: code, campaign: campaign, shop: shop, secret: Secret(scattered(number, 8)), attempt: 0, stamps: 1,
            expiresAt: now.advanced(bySeconds: 600))
        return (staff, .codeIssued(issued))
    }

    func opened(_ card: CardID, of holder: AccountID, terms: CardTerms = .none) -> Act {
        let opened = CardOpened(
            card: card, campaign: campaign, shop: shop, holder: holder, goal: Self.goal, reward: Self.reward, terms: terms)
        return (holder, .cardOpened(opened))
    }

    func stamped(_ card: CardID, of holder: AccountID, with code: CodeID) -> Act {
        (holder, .cardStamped(CardStamped(card: card, code: code, campaign: campaign, shop: shop, holder: holder, stamps: 1)))
    }

    func discarded(_ card: CardID, of holder: AccountID) -> Act {
        (holder, .cardDiscarded(CardDiscarded(card: card, campaign: campaign, shop: shop, holder: holder)))
    }

    /// - Parameter number: the card's among those of all shops.
    func redeemed(_ redemption: RedemptionID, _ card: CardID, number: UInt64, of holder: AccountID, at now: Instant) -> [Act] {
        let requested = RedemptionRequested(
            redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder, secret: Secret(scattered(number, 10)),
            attempt: 0, expiresAt: now.advanced(bySeconds: 300))
        let redeemed = CardRedeemed(redemption: redemption, card: card, campaign: campaign, shop: shop, holder: holder)
        return [(holder, .redemptionRequested(requested)), (staff, .cardRedeemed(redeemed))]
    }

    func reviewed(_ number: UInt64, by author: AccountID, rating: Int) -> Act {
        let review = ReviewID(scattered(number, 11))
        return (author, .reviewPosted(ReviewPosted(review: review, shop: shop, author: author, rating: rating, text: nil)))
    }
}

/// Writes generated events into a new log, each with a request mark, and commits them in batches.
struct GeneratedEvents {
    private let log: EventLog
    private let appender: Appender
    private let batch: Int
    private(set) var count = 0

    init(in data: DataFolder, batch: Int = 1_024) throws {
        log = try data.log(.readWrite)
        appender = try log.appender()
        self.batch = batch
    }

    mutating func add(_ act: Counter.Act, at time: Instant) throws {
        count += 1
        let mark = RequestMark(request: scattered(UInt64(count), 12), digest: scattered(UInt64(count), 13))
        _ = try appender.stage(LoyaltyCodec.encode(act.event, by: act.actor, at: time, mark: mark))
        if count % batch == 0 { try appender.commit() }
    }

    func close() throws {
        try appender.commit()
        try log.close()
    }
}

extension DataFolder {
    func log(_ access: EventLog.Access) throws -> EventLog {
        try EventLog(directory: log, index: index, schema: LoyaltySchema.schema, access: access, created: Timestamp(microseconds: 0))
    }
}

/// Looks random like a hash, but is the same in every run. Another `purpose` gives another number.
func scattered(_ number: UInt64, _ purpose: UInt64) -> UInt128 {
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
