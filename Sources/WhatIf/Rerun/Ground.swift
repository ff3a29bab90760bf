internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The facts that no programme rule changes: accounts, shops, campaigns and staff. Both runs of history share them.
///
/// It is confined to the thread that re-runs a history.
final class Ground {
    /// Registered and not erased.
    private(set) var accounts: Set<AccountID> = []
    /// Customers who were stamped by their number before they registered.
    private(set) var waiting: Set<AccountID> = []
    private(set) var shops: [ShopID: Shop] = [:]
    /// The campaigns as they were recorded.
    private(set) var campaigns: [CampaignID: Campaign] = [:]

    /// Notes a customer whose card waits for their number to be verified; decisions take them for an account.
    func wait(for customer: AccountID) { waiting.insert(customer) }

    /// Takes an event over as it was recorded.
    func take(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event): accounts.insert(event.account)
        case .accountErased(let event): accounts.remove(event.account)
        case .shopOpened(let event): shops[event.shop] = Shop(opening: fact)
        case .shopEdited(let event): shops[event.shop]?.evolve(fact)
        case .staffAdded(let event): shops[event.shop]?.evolve(fact)
        case .staffRemoved(let event): shops[event.shop]?.evolve(fact)
        case .staffJoined(let event): shops[event.shop]?.evolve(fact)
        case .roleChanged(let event): shops[event.shop]?.evolve(fact)
        case .shopTransferred(let event): shops[event.shop]?.evolve(fact)
        case .employmentEnded(let event): shops[event.shop]?.evolve(fact)
        case .shopSuspended(let event): shops[event.shop]?.evolve(fact)
        case .shopReinstated(let event): shops[event.shop]?.evolve(fact)
        case .shopClosed(let event): shops[event.shop]?.evolve(fact)
        case .campaignPublished(let event): campaigns[event.campaign] = Campaign(opening: fact)
        case .campaignEdited(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignEnded(let event): campaigns[event.campaign]?.evolve(fact)
        case .campaignReopened(let event): campaigns[event.campaign]?.evolve(fact)
        default: break
        }
    }
}

/// An account's cards of one campaign.
struct Holding: Hashable {
    let holder: AccountID
    let campaign: CampaignID
}

/// The places of a holding's cards.
struct HeldCards {
    /// The place of the card opened last; the others follow by ``TrackedCard/previous``.
    var newest: Int32 = -1
    /// The place of the card that collects; -1 for none.
    var collecting: Int32 = -1
    /// How many are full and not redeemed.
    var full: Int32 = 0
    /// Codes whose stamps were not taken back.
    var codes: Int32 = 0
    /// The stamps that codes gave on any of them in the last days, in the order of the log.
    private(set) var gains: [StampGains.Gain] = []

    /// Takes in a gain. Caps look back for a day at most; another day is kept for events that are told later than they happened.
    mutating func add(_ gain: StampGains.Gain) {
        let oldest = gain.at.advanced(bySeconds: -2 * Limits.stampDaySeconds)
        if let first = gains.first, first.at < oldest { gains.removeAll { $0.at < oldest } }
        if gains.count == Limits.stampGains { gains.removeFirst() }
        gains.append(gain)
    }

    /// Takes in the reversal of a code's stamps off one card.
    mutating func reverse(_ code: CodeID, isFirst: Bool) {
        if isFirst { codes -= 1 }
        var newest = StampGains(gains)
        newest.reverse(code)
        gains = newest.newest
    }
}

/// A used code with the stamps that it gave.
struct UsedCode {
    var code: Code
    let at: Instant
    var uses: [CodeUse] = []
}

/// A card's state for decisions, without its history, to save memory.
struct TrackedCard {
    let id: CardID
    let campaign: CampaignID
    let shop: ShopID
    let holder: AccountID
    let goal: Int16
    var stamps: Int16 = 0
    var status: CardStatus
    /// The place of the card of the same holder and campaign that was opened before; -1 for none.
    let previous: Int32
    var newestRedemption: RedemptionID?
    /// Whether its reward was handed out and not taken back, also if it was discarded since.
    var isRewarded = false
    /// Whether a reversal has taken stamps off it.
    private var hasLostStamps = false
    private let terms: CardTerms

    init(_ event: CardOpened, previous: Int32) {
        (id, campaign, shop, holder) = (event.card, event.campaign, event.shop, event.holder)
        (goal, terms, status) = (Int16(clamping: event.goal), event.terms, CardStatus(openedFor: event.goal))
        self.previous = previous
    }

    private static let rewarded = [CardEntry(at: Instant(microseconds: 0), kind: .redeemed, stamps: 0, position: 0)]
    private static let reversed = [CardEntry(at: Instant(microseconds: 0), kind: .stampReversed, stamps: 0, position: 0)]

    mutating func addStamps(_ added: Int) {
        stamps += Int16(clamping: added)
        if status == .collecting, stamps >= goal { status = .full }
    }

    mutating func adjust(by change: Int) {
        stamps += Int16(clamping: change)
        status = stamps >= goal ? .full : .collecting
    }

    /// The effect of `StampReversed`.
    mutating func takeBack(_ taken: Int) {
        stamps -= Int16(clamping: taken)
        hasLostStamps = true
        if status == .full { status = .collecting }
    }

    /// The card as decisions take it. Of its history they ask whether its reward was handed out, and whether it lost stamps.
    var card: Card {
        Card(
            id: id, campaign: campaign, shop: shop, holder: holder, goal: Int(goal), reward: "", terms: terms, stamps: Int(stamps),
            status: status,
            openedAt: Instant(microseconds: 0), newestRedemption: newestRedemption,
            history: (hasLostStamps ? Self.reversed : []) + (isRewarded ? Self.rewarded : []))
    }
}

/// The moment at which changed rules begin, or at which a what-if ends.
public enum Moment: Hashable, Sendable {
    /// The moment of this event.
    case position(UInt64)
    /// Microseconds since 1970.
    case time(microseconds: Int64)

    /// A position (`1000`), a time (`2026-11-21T09:00:00Z`) or a day, which begins at midnight UTC (`2026-11-21`).
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(number)
        } else if let instant = Instant(rfc3339: text) ?? Instant(rfc3339: text + "T00:00:00Z") {
            self = .time(microseconds: instant.microseconds)
        } else {
            return nil
        }
    }

    /// Whether an event is at this moment or behind it.
    func isReached(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue >= number
        case .time(let microseconds): time.microseconds >= microseconds
        }
    }

    /// Whether an event is behind this moment.
    func isPassed(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue > number
        case .time(let microseconds): time.microseconds > microseconds
        }
    }
}

/// Ids of things that history does not have, such as a card that is opened only under changed rules: made from what history has, so
/// that every run makes the same, and scattered, so that no two meet.
enum DerivedID {
    /// Odd, so that multiplying by it is a bijection: two codes never give one id.
    private static let factor: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    private static let cardSalt: UInt128 = 0xD6E8_FEB8_6659_FD93_A5A3_5625_1F2B_8C41
    private static let redemptionSalt: UInt128 = 0xC2B2_AE3D_27D4_EB4F_1656_67B1_9E37_79F9

    /// The id of a card that a stamp opens here and did not open in history.
    static func card(for code: CodeID) -> CardID {
        CardID((code.value ^ cardSalt) &* factor)
    }

    /// The id of the `number`th redemption that history does not have. Its secret has the same number.
    static func redemption(_ number: Int) -> RedemptionID {
        RedemptionID((UInt128(number) ^ redemptionSalt) &* factor)
    }
}
