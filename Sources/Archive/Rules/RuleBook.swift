internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Reads all events of a log in order, and reports each event that breaks a rule of the service.
///
/// The rules are written from the service's contract. They share no code with the service's decisions except the types of events and the
/// numbers in `Limits`, so they can reveal faults of the decisions. An object that an event refers to must have existed before, with few
/// exceptions: an offer of work or of a shop, for example, may name an account that never registered.
///
/// Average memory in bytes: 180 for a card, 130 for a review, 100 for a code or redemption code that may still be used or reversed, 100 for
/// a stamped paper card, 40 for an account, and 16 to 32 for each id, secret and request that ever occurred (see `OnceSet`). Shops and
/// campaigns add little.
struct RuleBook {
    /// The kind of a value in ``once``. If the value is also stored as a tag, the raw value is the number of the tag's kind.
    enum Once: UInt8 {
        case codeID = 4
        case redemptionID = 6
        case session = 8
        case codeSecret = 9
        case redemptionSecret = 10
        case phone = 11
        case request = 12
        case invitation = 18
        /// A campaign and an account that has claimed the campaign's coupon; see `check(_: CardOpened, _:)`.
        case coupon = 40
        case printSecret = 25
        /// A notice and an account that has read the notice; see `check(_: NoticeRead, _:)`.
        case noticeRead = 81
    }

    var accounts = RowIndex()
    var erased: Set<AccountID> = []
    var sessions: [SessionID: LiveSession] = [:]
    var suspendedAccounts: Set<AccountID> = []
    /// Phone numbers that accounts will get at an operator's request, but do not have yet.
    var askedPhones: [AccountID: AskedPhone] = [:]
    /// The account whose sessions the next events may end, although the actor of these events is another account.
    var endingSessions: SessionsEnding?
    var shopOwners: [ShopID: AccountID] = [:]
    /// The open shops of each owner.
    var openShops: [AccountID: Set<ShopID>] = [:]
    var shopStaff: [ShopID: Set<AccountID>] = [:]
    /// The time zones of shops that do not use the default time zone.
    var shopZones: [ShopID: String] = [:]
    /// The calendars of time zones, created when the bonus hours of a shop need them.
    var calendars: [String: Calendar] = [:]
    /// For each shop, the members of the staff who are managers.
    var shopManagers: [ShopID: Set<AccountID>] = [:]
    /// Staff offers without an answer, by shop and account.
    var staffOffers: [ShopID: [AccountID: LiveOffer]] = [:]
    /// Offers to transfer a shop, without an answer and without a recorded lapse.
    var shopOffers: [ShopID: LiveShopOffer] = [:]
    /// For accounts that recently stopped working at a shop, the event that ended their work.
    var employmentEnds: [StaffPlace: EmploymentEnd] = [:]
    /// The number of ``employmentEnds`` at which old ones are removed.
    var employmentEndsMax = 10_000
    var mutes: Set<StaffPlace> = []
    var suspendedShops: Set<ShopID> = []
    /// The moments until which closed shops may hand out rewards.
    var closedShops: [ShopID: Instant] = [:]
    /// The hash of the last edit of each shop and campaign. An edit that changes nothing must not be recorded as an event.
    var edits: [UInt128: Int] = [:]
    var campaigns: [CampaignID: LiveCampaign] = [:]
    var codes: [CodeID: LiveCode] = [:]
    /// The code in use, if it has stamps left. The next event must put some of them on a card, or open a card for them.
    var giving: CodeInUse?
    var cardIndex = RowIndex()
    var cards: [LiveCard] = []
    /// For each hash of holder and campaign, the index of the holder's newest card that was collecting.
    var collecting: [Int: Int32] = [:]
    /// The card that the last event opened. The next event must put stamps on it.
    var opened: NewCard?
    /// Used codes whose stamps may still be reversed.
    var spent: [CodeID: SpentCode] = [:]
    /// The code that the last event issued, or that the events since then have used. With this code, the shop's people may stamp a
    /// customer's card within the same command.
    var atCounter: CounterStep?
    var prints: [PrintID: LivePrint] = [:]
    /// Paper cards that were ever stamped or added to an account.
    var papers: [PaperID: LivePaper] = [:]
    /// The paper card that the last event added to an account, or whose codes the events since then have used.
    var taking: PaperTaking?
    /// The empty card that a shop's people discarded in the last event. The next event must reverse stamps on another card of the holder.
    var replaced: ReplacedCard?
    /// The replacements of cards that reversals emptied and discarded, by the indices of the discarded cards. There are few, and none is
    /// removed.
    var replacements: [Int: Replacement] = [:]
    /// The waiting cards that accounts took over, by the cards' indices.
    var takeovers: [Int: Takeover] = [:]
    /// The stamps that cards lost in reversals instead of other cards, by the indices of the cards that lost the stamps. There are few, and
    /// none is removed.
    var lendings: [Int: Lending] = [:]
    /// The newest reversal of a code's stamps.
    var reversal: Reversal?
    /// The card whose end the last event recorded on behalf of a person.
    var ended: EndedStep?
    /// The account's own card that got stamps in the last event. The next event must take over the waiting card that gave them.
    var move: StampMove?
    var redemptions: [RedemptionID: LiveRedemption] = [:]
    /// Rewards that were handed out, and whose hand-out may still be reversed.
    var rewards: [RedemptionID: HandedOut] = [:]
    /// Stamps that accounts received within the last day in campaigns with caps, recorded to check the caps.
    var gains: [Saver: [Gain]] = [:]
    /// The numbers of filled cards and used codes of each account in campaigns with options.
    var savings: [Saver: Saving] = [:]
    var reviewIndex = RowIndex()
    var reviews: [LiveReview] = []
    var notices: Set<NoticeID> = []
    /// Scheduled notices that were not posted yet.
    var scheduled: [NoticeID: NoticeScheduled] = [:]
    var favorites: Set<Favorite> = []
    var once = OnceSet()
    /// The request that caused the last event. The next events may belong to the same request.
    var request: RequestInUse?
    /// If there are at least this many unused codes, the rule book removes those that expired a day before ``clock``'s earliest moment.
    var codesMax = 10_000
    /// If there are at least this many used codes, the rule book removes those whose stamps can no longer be reversed.
    var spentMax = 10_000
    /// If there are at least this many rewards, the rule book removes those whose hand-out can no longer be reversed.
    var rewardsMax = 10_000

    /// Whether today's rules about suspended and closed shops apply. They apply from the first event on that only a version of the service
    /// with these rules can have written.
    var hasTodaysCounters = false
    /// Whether an event so far shows that a version of the service with roles wrote it. Before roles existed, all staff could destroy each
    /// other's codes.
    var hasRoles = false

    /// The clock by which the rule book removes what is over. The times of events alone would remove too much while a clock is ahead.
    private(set) var clock = LogClock()

    /// The violations that were found in the event that is being checked.
    private var violations: [Violation] = []

    /// An event's violation of a rule of the service or of idempotent requests.
    struct Violation: Hashable {
        let kind: Finding.Kind
        let what: String
    }

    /// Checks the next event against the rules, and records its effects.
    ///
    /// - Returns: the violations of rules by the event; empty for every event that a correct service wrote.
    mutating func apply(_ fact: Fact, mark: RequestMark?) -> [Violation] {
        violations.removeAll(keepingCapacity: true)
        clock.note(fact.time)
        checkRequest(fact, mark)
        checkGiving(before: fact)
        checkOpened(before: fact)
        checkReplaced(before: fact)
        checkEnded(before: fact)
        checkCounter(before: fact)
        checkTaking(before: fact)
        checkMove(before: fact)
        check(fact)
        return violations
    }

    /// Returns the violations that are detected only after the log's last event.
    mutating func end() -> [Violation] {
        violations.removeAll(keepingCapacity: true)
        if let giving { require(false, "the code used last, \(giving.code.text), still had \(giving.left) stamps to give") }
        if let taking, taking.left > 0 { require(false, "the paper taken last still had \(taking.left) stamps to give") }
        if let move { require(false, "card \(move.card.text) got stamps last, and no waiting card gave them") }
        if replaced != nil { require(false, "the card discarded last was discarded by somebody else") }
        if let ended { require(false, "the end of card \(ended.card.text) was recorded last, and nothing was done with it") }
        if let opened { require(false, "card \(opened.card.text) was opened, and nothing was stamped on it") }
        return violations
    }

    mutating func require(_ isKept: Bool, kind: Finding.Kind = .rule, _ what: @autoclosure () -> String) {
        if !isKept { violations.append(Violation(kind: kind, what: what())) }
    }

    mutating func requireOnce(_ value: UInt128, _ once: Once, _ what: @autoclosure () -> String) {
        require(self.once.insert(value, kind: once.rawValue), kind: once == .request ? .request : .rule, what())
    }

    private mutating func check(_ fact: Fact) {
        require(!erased.contains(fact.actor), "\(fact.actor.text) was erased before")
        checkStanding(fact)
        if !hasTodaysCounters { hasTodaysCounters = Self.isOfToday(fact.event) }
        if !hasRoles { hasRoles = Self.namesRole(fact.event) }
        checkRules(fact)
    }

    mutating func check(_ event: ProfileEdited, _ fact: Fact) { requireOwn(event.account, fact) }
    mutating func check(_ event: PasswordSet, _ fact: Fact) { requireOwn(event.account, fact) }
    mutating func check(_ event: PasswordRemoved, _ fact: Fact) { requireOwn(event.account, fact) }

    /// The events that name a person's pictures are encrypted, and a replay has no keys, so only the actor is checked.
    mutating func check(_ event: ImageTakenDown, _ fact: Fact) { requireAccount(fact.actor) }

    /// Whether an account owns a shop or is on its staff.
    func employs(_ shop: ShopID, _ account: AccountID) -> Bool {
        shopOwners[shop] == account || shopStaff[shop]?.contains(account) == true
    }

    /// Requires that an account is registered.
    mutating func requireAccount(_ account: AccountID) {
        require(accounts.place(of: account.value) != nil, "account \(account.text) has never registered")
    }
}

/// Values that may occur only once. Each is stored as a hash of 64 bits in a table. Including the table's free slots, a value takes 16
/// bytes just before the table grows, and 32 just after.
///
/// The chance that two different values are confused is n² / 2⁶⁵ for n values, which is about one in four thousand for a hundred million
/// values.
struct OnceSet {
    private var slots = [UInt64](repeating: 0, count: 1 << 12)
    private var mask = (1 << 12) - 1
    private var count = 0

    /// - Parameter kind: distinguishes values of different kinds that are equal, such as the id of a card and that of a code.
    /// - Returns: whether the value occurs for the first time.
    mutating func insert(_ value: UInt128, kind: UInt8) -> Bool {
        let print = Self.fingerprint(value, kind)
        var slot = Int(truncatingIfNeeded: print) & mask
        while slots[slot] != 0 {
            if slots[slot] == print { return false }
            slot = (slot + 1) & mask
        }
        slots[slot] = print
        count += 1
        if count * 2 > slots.count { grow() }
        return true
    }

    private mutating func grow() {
        let old = slots
        slots = [UInt64](repeating: 0, count: old.count * 2)
        mask = slots.count - 1
        for print in old where print != 0 {
            var slot = Int(truncatingIfNeeded: print) & mask
            while slots[slot] != 0 { slot = (slot + 1) & mask }
            slots[slot] = print
        }
    }

    /// The stored hash of a value; never 0, which marks an empty slot.
    private static func fingerprint(_ value: UInt128, _ kind: UInt8) -> UInt64 {
        let low = mixed(UInt64(truncatingIfNeeded: value) ^ (UInt64(kind) &* 0x9E37_79B9_7F4A_7C15))
        let both = mixed(low &+ UInt64(truncatingIfNeeded: value >> 64))
        return both == 0 ? 1 : both
    }

    /// The finalizer of SplitMix64 (Steele, Lea, Flood, 2014).
    @inline(__always)
    private static func mixed(_ word: UInt64) -> UInt64 {
        let first = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        let second = (first ^ (first >> 27)) &* 0x94D0_49BB_1331_11EB
        return second ^ (second >> 31)
    }
}
