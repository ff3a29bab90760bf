internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Reads a log's events in order, and reports each event that breaks a rule of the service.
///
/// The rules share only the event types and `Limits` with the service's decisions, so they can reveal faults of the decisions.
///
/// Memory in bytes: 180 for a card, 130 for a review, 100 for a live code or a stamped paper card, 40 for an account, and 16 to 32 for each
/// id, secret and request.
struct RuleBook {
    /// The kind of a value in ``once``; equal to a tag's kind where the value is also stored as a tag.
    enum Once: UInt8 {
        case codeID = 4
        case redemptionID = 6
        case session = 8
        case codeSecret = 9
        case redemptionSecret = 10
        case phone = 11
        case request = 12
        case invitation = 18
        case coupon = 40
        case printSecret = 25
        case search = 37
        case noticeRead = 81
    }

    var people = LivePeople()
    var shops = LiveShops()
    var command = OpenCommand()
    /// Hashes of last edits. An edit that changes nothing must not be recorded.
    var edits: [UInt128: Int] = [:]
    var campaigns: [CampaignID: LiveCampaign] = [:]
    var codes = Recent<CodeID, LiveCode>()
    var cards = LiveCards()
    /// Used codes whose stamps may still be reversed.
    var spent = Recent<CodeID, SpentCode>()
    var prints: [PrintID: PaperCardsPrinted] = [:]
    /// Paper cards that were ever stamped or taken.
    var papers: [PaperID: LivePaper] = [:]
    var reversal: Reversal?
    var redemptions: [RedemptionID: LiveRedemption] = [:]
    /// Rewards whose hand-out may still be reversed.
    var rewards = Recent<RedemptionID, HandedOut>()
    /// Stamps of the last day in campaigns with caps.
    var gains: [Saver: [Gain]] = [:]
    var savings: [Saver: Saving] = [:]
    var reviewIndex = RowIndex()
    var reviews: [LiveReview] = []
    var notices: Set<NoticeID> = []
    var scheduled: [NoticeID: NoticeScheduled] = [:]
    var searches = LiveSearches()
    var once = OnceSet()

    /// Whether an event shows that a version with today's rules about suspended and closed shops wrote it.
    var hasTodaysCounters = false
    /// Whether an event shows that a version with roles wrote it. Before, all staff could destroy each other's codes.
    var hasRoles = false

    /// Event times alone would remove too much while a clock is ahead.
    private(set) var clock = LogClock()

    private var violations: [Violation] = []

    struct Violation: Hashable {
        let kind: Finding.Kind
        let what: String
    }

    /// Checks the next event, records its effects, and returns its violations.
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

    /// The violations that are detected only after the last event.
    func end() -> [Violation] { command.unfinished.map { Violation(kind: .rule, what: $0) } }

    mutating func require(_ isKept: Bool, kind: Finding.Kind = .rule, _ what: @autoclosure () -> String) {
        if !isKept { violations.append(Violation(kind: kind, what: what())) }
    }

    mutating func requireOnce(_ value: UInt128, _ once: Once, _ what: @autoclosure () -> String) {
        require(self.once.insert(value, kind: once.rawValue), kind: once == .request ? .request : .rule, what())
    }

    private mutating func check(_ fact: Fact) {
        require(!people.erased.contains(fact.actor), "\(fact.actor.text) was erased before")
        checkStanding(fact)
        if !hasTodaysCounters { hasTodaysCounters = Self.isOfToday(fact.event) }
        if !hasRoles { hasRoles = Self.namesRole(fact.event) }
        checkRules(fact)
    }

    mutating func check(_ event: ProfileEdited, _ fact: Fact) { requireOwn(event.account, fact) }
    mutating func check(_ event: PasswordSet, _ fact: Fact) { requireOwn(event.account, fact) }
    mutating func check(_ event: PasswordRemoved, _ fact: Fact) { requireOwn(event.account, fact) }

    /// The events that name a person's pictures are encrypted, and a replay has no keys.
    mutating func check(_ event: ImageTakenDown, _ fact: Fact) { requireAccount(fact.actor) }

    func employs(_ shop: ShopID, _ account: AccountID) -> Bool { shops.employs(shop, account) }

    mutating func requireAccount(_ account: AccountID) {
        require(people.accounts.place(of: account.value) != nil, "account \(account.text) has never registered")
    }

    /// Requires that a registered account acts for itself.
    mutating func requireOwn(_ account: AccountID, _ fact: Fact, _ what: @autoclosure () -> String) {
        requireAccount(account)
        require(account == fact.actor, what())
    }

    mutating func requireOwn(_ account: AccountID, _ fact: Fact) {
        requireOwn(account, fact, "\(fact.actor.text) changed the account of \(account.text)")
    }

    /// Requires a moment after the event, and at most `seconds` later.
    mutating func requireSoon(_ moment: Instant, within seconds: Int64, _ fact: Fact, _ what: @autoclosure () -> String) {
        require(moment > fact.time && moment <= fact.time.advanced(bySeconds: seconds), what())
    }
}

/// Values of which old ones are no longer needed: these are removed when the number of values has doubled, which bounds the memory.
struct Recent<Key: Hashable & Sendable, Value: Sendable> {
    private var values: [Key: Value] = [:]
    var countMax = 10_000

    var count: Int { values.count }

    subscript(key: Key) -> Value? {
        get { values[key] }
        set { values[key] = newValue }
    }

    mutating func removeValue(forKey key: Key) -> Value? { values.removeValue(forKey: key) }

    mutating func removeOld(through limit: Instant, by moment: (Value) -> Instant) {
        guard values.count >= countMax else { return }
        values = values.filter { moment($0.value) > limit }
        countMax = max(10_000, values.count * 2)
    }
}

/// Values that may occur only once, each stored as a 64-bit hash in 16 to 32 bytes.
///
/// The chance of confusing two of n values is n² / 2⁶⁵, about one in four thousand for a hundred million values.
struct OnceSet {
    private var slots = [UInt64](repeating: 0, count: 1 << 12)
    private var mask = (1 << 12) - 1
    private var count = 0

    /// Returns false for a value that was there. The kind tells equal values apart, such as ids of a card and a code.
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

    /// Never 0, which marks an empty slot.
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
