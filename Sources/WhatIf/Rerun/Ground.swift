internal import EventLog
internal import Loyalty
internal import LoyaltyCodec

/// The state that programme rules do not affect: accounts, shops with their staff, recorded campaigns, and prints of paper cards. The run
/// under the recorded rules and the run under the changed rules share it.
///
/// Only the thread that re-runs a history uses it.
final class Ground {
    /// The accounts that are registered and not erased.
    private(set) var accounts: Set<AccountID> = []
    /// Customers to whom a shop has given stamps at its counter. Such a customer may not have registered yet.
    private(set) var waiting: Set<AccountID> = []
    /// Customers who have not registered and whose cards other accounts took over.
    private(set) var gone: Set<AccountID> = []
    /// Whether every account is treated as existing. This is true if the events of accounts are not read. It causes no error, because a
    /// recorded command shows that its accounts existed.
    let knowsEveryone: Bool
    private(set) var shops: [ShopID: Shop] = [:]
    /// The campaigns under the recorded rules.
    private(set) var campaigns: [CampaignID: Campaign] = [:]
    private(set) var prints: [PrintID: PaperPrint] = [:]

    init(knowsEveryone: Bool = false) {
        self.knowsEveryone = knowsEveryone
    }

    /// Whether decisions may treat an account as existing.
    func knows(_ account: AccountID) -> Bool {
        !gone.contains(account) && (knowsEveryone || accounts.contains(account) || waiting.contains(account))
    }

    /// Whether a shop has given stamps to a person who has not registered.
    func isWaiting(_ customer: AccountID) -> Bool { waiting.contains(customer) && !accounts.contains(customer) }

    /// Records a customer whose card a shop has stamped at its counter. Decisions treat the customer as an account, even before the
    /// registration.
    func wait(for customer: AccountID) { waiting.insert(customer) }

    /// Records that an account takes over a card of a waiting customer, who has not registered. After a crash, other cards may still wait,
    /// and somebody may register with the number.
    func leave(_ customer: AccountID) { gone.insert(customer) }

    /// Applies a recorded event.
    func take(_ fact: Fact) {
        switch fact.event {
        case .accountRegistered(let event):
            accounts.insert(event.account)
            gone.remove(event.account)
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
        case .paperCardsPrinted(let event): prints[event.print] = PaperPrint(opening: fact)
        case .campaignReopened(let event): campaigns[event.campaign]?.evolve(fact)
        default: break
        }
    }
}

/// An account and a campaign: the key under which the account's cards of the campaign are found.
struct Holding: Hashable {
    let holder: AccountID
    let campaign: CampaignID
}

/// The indices of an account's cards of one campaign, the counts of cards and codes, and the latest stamps.
struct HeldCards {
    /// The index of the card opened last. The others are linked by ``TrackedCard/previous``.
    var newest: Int32 = -1
    /// The index of the card opened first, also after another account took it over; -1 for none.
    var first: Int32 = -1
    /// The index of the collecting card; -1 for none.
    var collecting: Int32 = -1
    /// The number of cards that are full and not redeemed.
    var full: Int32 = 0
    /// The number of codes that were used for these cards and not reversed.
    var codes: Int32 = 0
    /// The stamps that codes gave in the last days to any of these cards and that were not taken back, oldest first, at most
    /// `Limits.stampGains`.
    private(set) var gains: [StampGains.Gain] = []

    /// Adds the stamps that a code gave, and removes earlier ones that no cap can count any more.
    ///
    /// - Parameter oldest: the moment since which stamps are kept.
    mutating func add(_ gain: StampGains.Gain, keptSince oldest: Instant) {
        guard gain.stamps > 0 else { return }
        if let first = gains.first, first.at < oldest { gains.removeAll { $0.at < oldest } }
        if gains.count == Limits.stampGains { gains.removeFirst() }
        gains.append(gain)
    }

    /// Applies the reversal of a code's stamps on one card.
    ///
    /// - Parameter isFirst: whether this is the first reversal of the code, which may have given stamps to several cards.
    mutating func reverse(_ code: CodeID, isFirst: Bool) {
        if isFirst { codes -= 1 }
        gains.removeAll { $0.code == code }
    }
}

/// A used code, and the stamps that it gave.
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
    private(set) var holder: AccountID
    let goal: Int16
    var stamps: Int16 = 0
    var status: CardStatus
    /// The index of the card of the same holder and campaign that was opened before this one; -1 for none.
    var previous: Int32
    var newestRedemption: RedemptionID? { didSet { fewest = stamps } }
    /// The smallest number of stamps that the card has had since ``newestRedemption`` was requested.
    private var fewest: Int16 = 0
    /// Whether the card's reward was handed out and not reversed, even if the card was discarded later.
    var isRewarded = false
    /// The milestones whose rewards were handed out and not reversed. The bit with the index of a milestone's number of stamps is 1.
    private var redeemedMilestones: UInt64 = 0
    let terms: CardTerms

    init(_ event: CardOpened, previous: Int32) {
        (id, campaign, shop, holder) = (event.card, event.campaign, event.campaignShop, event.holder)
        (goal, terms, status) = (Int16(clamping: event.goal), event.terms, CardStatus(openedFor: event.goal))
        self.previous = previous
    }

    private static let rewarded = [CardEntry(at: Instant(microseconds: 0), kind: .redeemed, stamps: 0, position: 0)]

    mutating func addStamps(_ added: Int) {
        stamps += Int16(clamping: added)
        if status == .collecting, stamps >= goal { status = .full }
    }

    mutating func adjust(by change: Int) {
        stamps += Int16(clamping: change)
        fewest = min(fewest, stamps)
        status = stamps >= goal ? .full : .collecting
    }

    /// Applies a `WaitingCardTaken` to the card.
    mutating func take(_ event: WaitingCardTaken) {
        (holder, stamps) = (event.holder, Int16(clamping: event.stamps))
        fewest = min(fewest, stamps)
        if status == .collecting || status == .full { status = event.status }
    }

    /// Applies a `MilestoneRedeemed` to the card.
    mutating func redeem(milestone: Int) { redeemedMilestones |= 1 << UInt64(milestone) }

    /// Applies a `MilestoneReversed` to the card.
    mutating func reverse(milestone: Int) { redeemedMilestones &= ~(1 << UInt64(milestone)) }

    /// The history entries with which a ``Card`` is created, so that it derives its redeemed milestones from them.
    private var milestoneEntries: [CardEntry] {
        if redeemedMilestones == 0 { return [] }
        return terms.milestones.filter { redeemedMilestones >> UInt64($0.at) & 1 == 1 }.map {
            CardEntry(at: Instant(microseconds: 0), kind: .milestoneRedeemed, stamps: 0, position: 0, milestone: $0.at)
        }
    }

    /// Applies a `CardExpired` to the card.
    mutating func expire() { status = .expired }

    /// Applies a `StampReversed` to the card.
    mutating func takeBack(_ taken: Int) {
        stamps -= Int16(clamping: taken)
        fewest = min(fewest, stamps)
        if status == .full { status = .collecting }
    }

    /// The history entries with which a ``Card`` is created, so that a decision derives ``fewest`` from them: a request, and an entry for
    /// the stamps that were added since the card had the fewest stamps.
    private var requestEntries: [CardEntry] {
        guard newestRedemption != nil, fewest < stamps else { return [] }
        return [(CardEntry.Kind.redemptionRequested, 0), (.adjusted, Int(stamps - fewest))].map { kind, added in
            CardEntry(at: Instant(microseconds: 0), kind: kind, stamps: added, position: 0)
        }
    }

    /// The card in the form that decisions use. Of the card's history, decisions need only which rewards were handed out, and whether the
    /// card had too few stamps since the last request.
    var card: Card {
        Card(
            id: id, campaign: campaign, shop: shop, holder: holder, goal: Int(goal), reward: "", terms: terms, stamps: Int(stamps),
            status: status,
            openedAt: Instant(microseconds: 0), newestRedemption: newestRedemption,
            history: (isRewarded ? Self.rewarded : []) + milestoneEntries + requestEntries)
    }
}

/// The moment at which changed rules begin to apply, or at which an analysis ends.
public enum Moment: Hashable, Sendable {
    /// The position of an event.
    case position(UInt64)
    /// A time in microseconds since 1970.
    case time(microseconds: Int64)

    /// Parses a position (`1000`), a time (`2026-11-21T09:00:00Z`) or a day, which begins at midnight UTC (`2026-11-21`).
    public init?(text: String) {
        if let number = UInt64(text) {
            self = .position(number)
        } else if let instant = Instant(rfc3339: text) ?? Instant(rfc3339: text + "T00:00:00Z") {
            self = .time(microseconds: instant.microseconds)
        } else {
            return nil
        }
    }

    /// Whether an event is at or after this moment.
    func isReached(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue >= number
        case .time(let microseconds): time.microseconds >= microseconds
        }
    }

    /// Whether an event is after this moment.
    func isPassed(at position: Position, _ time: Timestamp) -> Bool {
        switch self {
        case .position(let number): position.rawValue > number
        case .time(let microseconds): time.microseconds > microseconds
        }
    }
}

/// Ids of objects that history does not have, such as a card that is opened only under changed rules. An id is derived from an id in
/// history or from a running number, so that every run gives the same ids. The ids are distributed over all values, so that it is
/// practically impossible for one of them to equal an id in history.
enum DerivedID {
    /// An odd factor, so that multiplication is a bijection: two codes never give the same id.
    private static let factor: UInt128 = 0x9E37_79B9_7F4A_7C15_F39C_C060_5CED_C835
    private static let cardSalt: UInt128 = 0xD6E8_FEB8_6659_FD93_A5A3_5625_1F2B_8C41
    private static let redemptionSalt: UInt128 = 0xC2B2_AE3D_27D4_EB4F_1656_67B1_9E37_79F9

    /// The id of a card that a stamp opens under the changed rules, but did not open in history.
    static func card(for code: CodeID) -> CardID {
        CardID((code.value ^ cardSalt) &* factor)
    }

    /// The id of the `number`th redemption that history does not have. The secret of the redemption has the same value as the id.
    static func redemption(_ number: Int) -> RedemptionID {
        RedemptionID((UInt128(number) ^ redemptionSalt) &* factor)
    }
}
