internal import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Folds a whole history, event by event, and says where it breaks a rule that no path may break.
///
/// It is made from the rules as the service's contract states them, and shares no code with the decisions that are to keep
/// them: only the events' own types. Whatever an event refers to must have been there before it.
///
/// Memory, on average, besides a few bytes for each shop and campaign: 180 bytes a card, 130 a review, 100 a code or redemption code
/// that may still be used or taken back, 16 for each id, each secret and each request that there ever was (see `OnceSet`), 40 an account.
struct RuleBook {
    /// The kind of a value in ``once``; a tag kind's number where there is one.
    enum Once: UInt8 {
        case codeID = 4
        case redemptionID = 6
        case session = 8
        case codeSecret = 9
        case redemptionSecret = 10
        case phone = 11
        case request = 12
        case invitation = 18
        /// A campaign of coupons and who claimed one, see `check(_: CardOpened, _:)`.
        case coupon = 40
        /// A notice and its reader, see `check(_: NoticeRead, _:)`.
        case noticeRead = 81
    }

    var accounts = RowIndex()
    var erased: Set<AccountID> = []
    var sessions: [SessionID: LiveSession] = [:]
    var suspendedAccounts: Set<AccountID> = []
    /// Numbers that operators asked for and that have not come to hold.
    var askedPhones: [AccountID: AskedPhone] = [:]
    /// The account whose sessions the events that follow may end, though they are somebody else's.
    var endingSessions: SessionsEnding?
    var shopOwners: [ShopID: AccountID] = [:]
    /// The open shops of each owner.
    var openShops: [AccountID: Set<ShopID>] = [:]
    var shopStaff: [ShopID: Set<AccountID>] = [:]
    /// The time zones of shops that name another than most do.
    var shopZones: [ShopID: String] = [:]
    /// The calendars of time zones in which bonus hours were asked for.
    var calendars: [String: Calendar] = [:]
    /// The managers among the staff.
    var shopManagers: [ShopID: Set<AccountID>] = [:]
    /// Offers that nobody has answered, by shop and account.
    var staffOffers: [StaffPlace: LiveOffer] = [:]
    /// Offers of shops that nobody has answered.
    var shopOffers: [ShopID: LiveShopOffer] = [:]
    /// When somebody stopped working somewhere, of late.
    var employmentEnds: [StaffPlace: Instant] = [:]
    var mutes: Set<StaffPlace> = []
    var suspendedShops: Set<ShopID> = []
    /// Until when closed shops may redeem.
    var closedShops: [ShopID: Instant] = [:]
    /// The last edit of each shop and campaign, by its hash. An edit that changes nothing must not be an event.
    var edits: [UInt128: Int] = [:]
    var campaigns: [CampaignID: LiveCampaign] = [:]
    var codes: [CodeID: LiveCode] = [:]
    /// A code whose stamps are not all given yet: the next event must go on with it.
    var giving: CodeInUse?
    var cardIndex = RowIndex()
    var cards: [LiveCard] = []
    /// By a hash of holder and campaign: the place of the card that collected there last.
    var collecting: [Int: Int32] = [:]
    /// A card that the event before opened: the next must stamp it.
    var opened: CardID?
    /// Used codes whose stamps may still be taken back.
    var spent: [CodeID: SpentCode] = [:]
    /// A code that was issued with the event before, or is being used since: its shop may stamp a customer's card with it at once.
    var atCounter: CounterStep?
    /// An empty card that the shop discarded with the event before: the next must take stamps off another card of the holder.
    var replaced: ReplacedCard?
    /// A card whose end somebody's command recorded with the event before.
    var ended: EndedStep?
    var redemptions: [RedemptionID: LiveRedemption] = [:]
    /// Rewards handed out that may still be taken back.
    var rewards: [RedemptionID: HandedOut] = [:]
    /// Recent stamps of accounts in capped campaigns.
    var gains: [Saver: [Gain]] = [:]
    /// Cards and codes of accounts in campaigns that limit cards or welcome accounts.
    var savings: [Saver: Saving] = [:]
    var reviewIndex = RowIndex()
    var reviews: [LiveReview] = []
    var notices: Set<NoticeID> = []
    /// Notices that have yet to appear.
    var scheduled: [NoticeID: NoticeScheduled] = [:]
    var favorites: Set<Favorite> = []
    var once = OnceSet()
    /// The request of the event before, whose other events may follow it.
    var request: RequestInUse?
    /// Expired codes are dropped when there are so many.
    var codesMax = 10_000
    /// Used codes whose stamps can no longer be taken back are dropped when there are so many.
    var spentMax = 10_000
    /// Rewards that can no longer be taken back are dropped when there are so many.
    var rewardsMax = 10_000

    /// Whether today's rules about suspended and closed shops hold: a program that keeps them has written here.
    var hasTodaysCounters = false
    /// Whether a program that knows roles has written here. Before that, all staff destroyed codes of others.
    var hasRoles = false

    /// The violations of the present event.
    private var violations: [Violation] = []

    /// A broken rule, of the service or of repeated requests.
    struct Violation: Hashable {
        let kind: Finding.Kind
        let what: String
    }

    /// Takes the next event.
    ///
    /// - Returns: what it breaks; nothing, in a log that the service has written.
    mutating func apply(_ fact: Fact, mark: RequestMark?) -> [Violation] {
        violations.removeAll(keepingCapacity: true)
        checkRequest(fact, mark)
        checkGiving(before: fact)
        checkOpened(before: fact)
        checkReplaced(before: fact)
        checkEnded(before: fact)
        checkCounter(before: fact)
        check(fact)
        return violations
    }

    /// The violations that only the end of the log shows.
    mutating func end() -> [Violation] {
        violations.removeAll(keepingCapacity: true)
        if let giving { require(false, "the code used last, \(giving.code.text), still had \(giving.left) stamps to give") }
        if replaced != nil { require(false, "the card discarded last was discarded by somebody else") }
        if let ended { require(false, "the end of card \(ended.card.text) was recorded last, and nothing was done with it") }
        if let opened { require(false, "card \(opened.text) was opened, and nothing was stamped on it") }
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
        switch fact.event {
        case .cardStamped(let event): check(event, fact)
        case .codeIssued(let event): check(event, fact)
        case .cardOpened(let event): check(event, fact)
        case .redemptionRequested(let event): check(event, fact)
        case .cardRedeemed(let event): check(event, fact)
        case .accountRegistered(let event): check(event, fact)
        case .sessionStarted(let event): check(event, fact)
        case .sessionRefreshed(let event): check(event, fact)
        case .sessionEnded(let event): check(event, fact)
        case .profileEdited(let event): requireOwn(event.account, fact)
        case .passwordSet(let event): requireOwn(event.account, fact)
        case .passwordRemoved(let event): requireOwn(event.account, fact)
        case .accountErased(let event): check(event, fact)
        case .phoneChanged(let event): check(event, fact)
        case .phoneChangeRequested(let event): check(event, fact)
        case .phoneChangeEnded(let event): check(event, fact)
        case .accountSuspended(let event): check(event, fact)
        case .accountReinstated(let event): check(event, fact)
        case .accountSearched(let event): check(event, fact)
        case .shopOpened(let event): check(event, fact)
        case .shopEdited(let event): check(event, fact)
        case .staffAdded(let event): check(event, fact)
        case .staffRemoved(let event): check(event, fact)
        case .staffInvited(let event): check(event, fact)
        case .invitationEnded(let event): check(event, fact)
        case .staffJoined(let event): check(event, fact)
        case .roleChanged(let event): check(event, fact)
        case .transferOffered(let event): check(event, fact)
        case .shopTransferred(let event): check(event, fact)
        case .employmentEnded(let event): check(event, fact)
        case .shopMuted(let event): check(event, fact)
        case .shopUnmuted(let event): check(event, fact)
        case .shopSuspended(let event): check(event, fact)
        case .shopReinstated(let event): check(event, fact)
        case .shopClosed(let event): check(event, fact)
        case .campaignPublished(let event): check(event, fact)
        case .campaignEdited(let event): check(event, fact)
        case .campaignEnded(let event): check(event, fact)
        case .campaignReopened(let event): check(event, fact)
        case .codeDestroyed(let event): check(event, fact)
        case .cardDiscarded(let event): check(event, fact)
        case .cardAdjusted(let event): check(event, fact)
        case .cardExpired(let event): check(event, fact)
        case .cardReminded(let event): check(event, fact)
        case .stampReversed(let event): check(event, fact)
        case .redemptionReversed(let event): check(event, fact)
        case .milestoneRequested(let event): check(event, fact)
        case .milestoneRedeemed(let event): check(event, fact)
        case .milestoneReversed(let event): check(event, fact)
        case .reviewPosted(let event): check(event, fact)
        case .replyPosted(let event): check(event, fact)
        case .reviewRemoved(let event): check(event, fact)
        case .noticePosted(let event): check(event, fact)
        case .noticeScheduled(let event): check(event, fact)
        case .noticeWithdrawn(let event): check(event, fact)
        case .noticeLapsed(let event): check(event, fact)
        case .noticeRead(let event): check(event, fact)
        case .feedbackGiven(let event): check(event, fact)
        // Avatars are sealed, and a replay has no keys: only the actor can be checked.
        case .imageTakenDown: requireAccount(fact.actor)
        case .favoriteAdded(let event): check(event, fact)
        case .favoriteRemoved(let event): check(event, fact)
        }
    }

    /// Whether an account owns a shop or works for it.
    func employs(_ shop: ShopID, _ account: AccountID) -> Bool {
        shopOwners[shop] == account || shopStaff[shop]?.contains(account) == true
    }

    /// Every actor is somebody who has registered.
    mutating func requireAccount(_ account: AccountID) {
        require(accounts.place(of: account.value) != nil, "account \(account.text) has never registered")
    }
}

/// Values that may come only once, each held as 64 bits: 16 bytes on average, 32 right after it has grown.
///
/// Two different values are taken for one with a chance of n² / 2⁶⁵, which for a hundred million of them is one in four thousand.
struct OnceSet {
    private var slots = [UInt64](repeating: 0, count: 1 << 12)
    private var mask = (1 << 12) - 1
    private var count = 0

    /// - Parameter kind: tells values apart that may be equal, such as a card and a code.
    /// - Returns: whether it is there for the first time.
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

    /// Never 0, which is an empty slot.
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
