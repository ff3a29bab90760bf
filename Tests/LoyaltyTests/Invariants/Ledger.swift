import Loyalty

/// A bookkeeper that follows only the text of the rules and never calls `decide` or `evolve`.
///
/// It reads the facts of one command at a time and records every rule that they break.
struct Ledger {
    struct Reading: Hashable {
        let notice: NoticeID
        let account: AccountID
    }

    struct Slip {
        let campaign: CampaignID
        /// The shop that issued the code.
        let shop: ShopID
        let secret: Secret
        let worth: Int
        let issuedAt: Instant
        let expiresAt: Instant
        let issuer: AccountID
        /// The time when the code was used, and whether its stamps were reversed.
        var spentAt: Instant?
        var takenBack = false
        /// The stamps that reversals of a part have left.
        var left: Int?
        /// The account whose cards received the stamps, and the number of stamps.
        var holder: AccountID?
        var given = 0
        /// Whether the code became invalid, because its issuer left the shop, or because the shop or the campaign's own shop closed.
        var lost = false
        var spent = false
        var withdrawn = false
    }

    struct Paper {
        let campaign: CampaignID
        /// The campaign's own shop.
        let shop: ShopID
        var holder: AccountID
        let goal: Int
        var stamps: Int = 0
        /// The requests for codes of the card's rewards, oldest first.
        var requests: [RedemptionID] = []
        var isRedeemed = false
        var isDiscarded = false
        var isAdjusted = false
        /// The end of the card, and whether an event has recorded it.
        var endsAt = Instant(microseconds: .max)
        var isExpired = false
        let openedAt: Instant
        /// The milestones that the card was opened with, and those whose rewards were handed out.
        var milestones: [Int] = []
        var redeemedMilestones: Set<Int> = []
        /// For each reminder that was sent, the number of days before the card's end.
        var reminders: [Int] = []
        /// The stamps that the card received, by code and time.
        var gains: [Gain] = []

        var isCollecting: Bool { stamps < goal && !isRedeemed && !isDiscarded && !isExpired }
        var isFull: Bool { stamps == goal && !isRedeemed && !isDiscarded && !isExpired }
    }

    struct Gain {
        let code: CodeID
        let at: Instant
        var stamps: Int
    }

    struct Voucher {
        let card: CardID
        /// The milestone of the reward, by its number of stamps; nil for the reward of the full card.
        var milestone: Int?
        let secret: Secret
        let requestedAt: Instant
        let expiresAt: Instant
        var isRedeemed = false
        var redeemedAt: Instant?
        /// The shop that handed the reward out.
        var place: ShopID?
        var isReversed = false
        /// Whether the card had too few stamps at some time after the request.
        var isOver = false
    }

    /// The key under which the cards of one account in one campaign are kept.
    struct Hand: Hashable {
        let holder: AccountID
        let campaign: CampaignID
    }

    /// The author of a notice, and the shop in whose name it was posted. The shop is nil for an operator's notice.
    struct Speaker {
        let shop: ShopID?
        let author: AccountID
    }

    /// The file and line of the code that checks a rule.
    struct Place: Hashable {
        let file: String
        let line: Int
    }

    struct Family {
        let account: AccountID
        var token: Secret
        /// The session's earlier refresh tokens, which are no longer valid.
        var earlier: [Secret] = []
        var expiresAt: Instant
        var isEnded = false
    }

    var people: Set<AccountID> = []
    /// Accounts that an operator has suspended.
    var suspended: Set<AccountID> = []
    var phones: [Secret: AccountID] = [:]
    var owners: [ShopID: AccountID] = [:]
    var crews: [ShopID: Set<AccountID>] = [:]
    /// For each shop, the members who manage it without owning it.
    var managers: [ShopID: Set<AccountID>] = [:]
    /// Shops that an operator has suspended.
    var closed: Set<ShopID> = []
    /// For each shop that its owner has closed: the moment from which it hands out nothing more.
    var closings: [ShopID: Instant] = [:]
    /// The shop that the present command closes.
    var closing: ShopID?
    /// The times at which campaigns were ended early.
    var endings: [CampaignID: Instant] = [:]
    /// Invitations to work at a shop that are still open.
    var offers: [InvitationID: StaffInvited] = [:]
    /// Transfer offers that no event has ended.
    var transfers: [ShopID: TransferOffered] = [:]
    /// The account of every invitation ever made.
    var invited: [InvitationID: AccountID] = [:]
    var mutes: Set<Mute> = []
    var campaigns: [CampaignID: CampaignPublished] = [:]
    var endedCampaigns: Set<CampaignID> = []
    var slips: [CodeID: Slip] = [:]
    var papers: [CardID: Paper] = [:]
    /// The cards of an account in a campaign.
    var hands: [Hand: [CardID]] = [:]
    /// The fact of the event that issued the newest code.
    var giving: Fact?
    /// The cards that reversals emptied and discarded, each with the card that replaced it.
    var moves: [CardID: CardID] = [:]
    /// For each card that lost stamps in a reversal: the cards that had the reversed code's stamps. They may have kept stamps in its place.
    var stays: [CardID: Set<CardID>] = [:]
    /// The stamps that waiting cards gave to cards of the accounts that took them over, by the waiting card.
    var inherited: [CardID: Int] = [:]
    /// The codes that were given to people whose cards other accounts took over. Their stamps may be on any card of these accounts.
    var strayed: Set<CodeID> = []
    /// The people whose cards other accounts took over. Their numbers are those of these accounts, so they get no further stamps.
    var departed: Set<AccountID> = []
    /// The account's own card that got stamps in the last event, and their number.
    var pouring: (card: CardID, stamps: Int)?
    /// The card that a reversal discarded in the last event; nil after any other event.
    var leaving: CardID?
    var vouchers: [RedemptionID: Voucher] = [:]
    var depths: [ReviewID: Int] = [:]
    /// The shops that reviews and replies are about.
    var threads: [ReviewID: ShopID] = [:]
    var authors: [ReviewID: AccountID] = [:]
    var removed: Set<ReviewID> = []
    var notices: Set<NoticeID> = []
    /// The shops and authors of notices.
    var speakers: [NoticeID: Speaker] = [:]
    /// Notices that are scheduled and have not appeared yet.
    var scheduled: [NoticeID: Instant] = [:]
    var readings: Set<Reading> = []
    var favorites: Set<Favorite> = []
    var families: [SessionID: Family] = [:]
    var interests: [SearchID: Interest] = [:]
    var everSaved: Set<SearchID> = []
    /// The positions at which campaigns were published.
    var publications: [CampaignID: UInt64] = [:]

    private(set) var violations: [String] = []
    /// How often each rule was checked, by the line of code that checks the rule.
    private(set) var checks: [Place: Int] = [:]

    mutating func must(_ condition: Bool, _ rule: @autoclosure () -> String, file: String = #fileID, line: Int = #line) {
        checks[Place(file: file, line: line), default: 0] += 1
        if !condition { violations.append(rule()) }
    }

    /// The cards of an account in a campaign, including redeemed, discarded and expired ones.
    func papers(of holder: AccountID, in campaign: CampaignID) -> [Paper] {
        hands[Hand(holder: holder, campaign: campaign), default: []].compactMap { papers[$0] }
    }

    func runs(_ campaign: CampaignID, at time: Instant) -> Bool {
        guard let published = campaigns[campaign], !endedCampaigns.contains(campaign) else { return false }
        return published.terms.startsAt <= time && time < published.terms.endsAt
    }

    /// Whether a shop trades, that is, is neither suspended by an operator nor closed by its owner.
    func trades(_ shop: ShopID) -> Bool { !closed.contains(shop) && closings[shop] == nil }

    /// Whether a shop hands out rewards and reverses stamps and redemptions at this time.
    func rewards(_ shop: ShopID, at time: Instant) -> Bool { closings[shop].map { time < $0 } ?? true }

    func works(_ account: AccountID, at shop: ShopID) -> Bool {
        crews[shop, default: []].contains(account)
    }

    /// Whether the account owns or manages the shop.
    func manages(_ account: AccountID, _ shop: ShopID) -> Bool {
        owners[shop] == account || managers[shop, default: []].contains(account)
    }

    /// Enters the events of one command and checks the rules.
    mutating func enter(_ facts: [Fact]) {
        var (given, taken): ([CodeID: Gift], [CodeID: Taken]) = ([:], [:])
        closing = facts.compactMap { if case .shopClosed(let event) = $0.event { event.shop } else { nil } }.first
        for fact in facts {
            must(people.contains(fact.actor) || fact.actor == .system || fact.event.registers, "only registered people act")
            must(!suspended.contains(fact.actor) || fact.event.endsSession, "suspended people do nothing")
            enter(fact, &given, &taken)
        }
        closing = nil
        must(leaving == nil, "a shop discards an empty card in a reversal only")
        leaving = nil
        must(pouring == nil, "stamps come from the waiting card that is taken over next")
        for (code, taken) in taken { enter(taken, of: code) }
        for paper in papers.values where paper.isCollecting {
            must(collecting(paper.holder, paper.campaign).count == 1, "nobody collects on two cards of a campaign")
        }
        must(given.count <= 1, "one command uses at most one code")
        for (code, gift) in given {
            must(gift.worth == slips[code]?.worth, "a code's whole worth is used up")
            must(isRight(gift, of: code), "a code gives its worth and the welcome stamps, except those that lapse")
            slips[code]?.holder = gift.holder
            slips[code]?.given = gift.stamps
            slips[code]?.spent = true
            slips[code]?.spentAt = facts.first?.time
        }
    }

    /// Stamps of one code that one command took back.
    private struct Taken {
        var stamps = 0
        var lefts: Set<Int> = []
    }

    private mutating func enter(_ taken: Taken, of code: CodeID) {
        let (before, left) = (slips[code].map { $0.left ?? $0.given } ?? 0, taken.lefts.first ?? 0)
        must(taken.lefts.count == 1 && left < before, "all events of a reversal leave the same, and less than before")
        let isRight = strayed.contains(code) ? taken.stamps + left <= before : taken.stamps + left == before
        must(isRight, "a code's stamps are taken back or left")
        slips[code]?.takenBack = left == 0
        slips[code]?.left = left
        if left == 0 {
            for card in papers.keys { papers[card]?.gains.removeAll { $0.code == code } }
        } else {
            limitGains(of: code, to: left)
        }
    }

    private mutating func limitGains(of code: CodeID, to most: Int) {
        var left = most
        for card in papers.keys {
            for place in papers[card]?.gains.indices ?? 0..<0 where papers[card]?.gains[place].code == code {
                let stamps = min(left, papers[card]?.gains[place].stamps ?? 0)
                papers[card]?.gains[place].stamps = stamps
                left -= stamps
            }
        }
    }

    private mutating func enter(_ fact: Fact, _ given: inout [CodeID: Gift], _ taken: inout [CodeID: Taken]) {
        switch fact.event {
        case .codeIssued(let event): enter(event, fact)
        case .codeDestroyed(let event): enter(event, fact)
        case .cardOpened(let event): enter(event, fact)
        case .cardStamped(let event):
            enter(event, fact)
            given[event.code, default: Gift(holder: event.holder)].add(event)
        case .cardDiscarded(let event): enter(event, fact)
        case .redemptionRequested(let event): enter(event, fact)
        case .cardRedeemed(let event): enter(event, fact)
        case .redemptionReversed(let event): enter(event, fact)
        case .milestoneRequested(let event): enter(event, fact)
        case .milestoneRedeemed(let event): enter(event, fact)
        case .milestoneReversed(let event): enter(event, fact)
        case .cardAdjusted(let event): enter(event, fact)
        case .cardExpired(let event): enter(event, fact)
        case .cardReminded(let event): enter(event, fact)
        case .waitingCardTaken(let event): enter(event, fact)
        case .stampReversed(let event):
            enter(event, fact)
            taken[event.code, default: Taken()].stamps += event.stamps
            taken[event.code]?.lefts.insert(event.left)
        case .accountSuspended(let event):
            must(fact.actor != event.account && suspended.insert(event.account).inserted, "an account is suspended once, by another one")
        case .accountReinstated(let event): must(suspended.remove(event.account) != nil, "a suspended account is reinstated")
        default: enterOffice(fact)
        }
    }
}

extension LoyaltyEvent {
    fileprivate var registers: Bool {
        if case .accountRegistered = self { true } else { false }
    }

    fileprivate var endsSession: Bool {
        if case .sessionEnded = self { true } else { false }
    }
}

/// The worth and the stamps that one code gave to an account, summed over all cards that it stamped.
struct Gift {
    let holder: AccountID
    var (worth, stamps) = (0, 0)

    init(holder: AccountID) { self.holder = holder }

    mutating func add(_ event: CardStamped) {
        worth += event.worth
        stamps += event.stamps
    }
}

/// Optional terms of a campaign: the limit of cards, welcome stamps and bonus hours.
extension Ledger {
    /// The number of an account's cards with as many stamps as their goal, including redeemed and discarded ones.
    func filled(_ holder: AccountID, _ campaign: CampaignID) -> Int {
        papers(of: holder, in: campaign).count { $0.stamps >= $0.goal }
    }

    /// The welcome stamps that an account would get with its next code.
    func welcome(_ holder: AccountID, _ campaign: CampaignID) -> Int {
        let isKnown = slips.values.contains { $0.holder == holder && $0.campaign == campaign && !$0.takenBack }
        return isKnown ? 0 : campaigns[campaign]?.terms.options.welcomeStamps ?? 0
    }

    /// The factor by which bonus hours multiply the stamps of a code. It is computed from the minute of the week in Shanghai, which is
    /// eight hours ahead of UTC.
    func factor(of slip: Slip) -> Int {
        let minutes = Int(slip.issuedAt.microseconds / 60_000_000) + 8 * 60
        // 1970-01-01 was a Thursday.
        let (days, minute) = (minutes / 1_440 + 3, minutes % 1_440)
        let (today, yesterday) = (UInt8(1) << UInt8(days % 7), UInt8(1) << UInt8((days + 6) % 7))
        for hours in campaigns[slip.campaign]?.terms.options.bonuses ?? [] {
            let isToday = hours.days.rawValue & today != 0 && minute >= hours.fromMinute
            if hours.fromMinute < hours.toMinute {
                if isToday, minute < hours.toMinute { return hours.factor }
            } else if isToday || hours.days.rawValue & yesterday != 0 && minute < hours.toMinute {
                return hours.factor
            }
        }
        return 1
    }

    private func isRight(_ gift: Gift, of code: CodeID) -> Bool {
        guard let slip = slips[code] else { return false }
        let expected = slip.worth * factor(of: slip) + welcome(gift.holder, slip.campaign)
        guard let repeats = campaigns[slip.campaign]?.terms.options.repeats, gift.stamps < expected else { return gift.stamps == expected }
        return gift.stamps > 0 && filled(gift.holder, slip.campaign) >= repeats && collecting(gift.holder, slip.campaign).isEmpty
    }
}
