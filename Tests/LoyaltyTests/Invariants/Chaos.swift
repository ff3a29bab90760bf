import Loyalty
import Seeds

/// Draws random commands, most of them sensible. Few people and few ids make the commands interfere with each other.
struct Chaos {
    private var random: SeededRandom
    private(set) var now = Sample.start
    private var codes = Names()
    private var cards = Names()
    private var redemptions = Names()
    private var reviews = Names()
    private var tokens = Names()
    private var notices = Names()
    /// A second generator, for milestones and for campaigns of several shops. Its draws do not change the random choices of the rest of a
    /// history.
    private var rewarding: SeededRandom
    private var rewards: UInt128 = 1_000_000
    /// A third generator, for names of staff, offers to numbers without accounts, and the looks of shops.
    private var teaming: SeededRandom
    private var offers: UInt128 = 0
    /// A lower bound for the numbers of the present town. A town is a part of a history that has its own people and shops. The numbers of
    /// its people, shops, campaigns, sessions and offers are all greater than `base`, which grows from town to town.
    private(set) var base: UInt128 = 0
    /// The newest numbers of cards and redemptions when this town began.
    private var (cardsBefore, redemptionsBefore): (UInt128, UInt128) = (0, 0)

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
        rewarding = SeededRandom(seed: seed ^ 20_261_127)
        teaming = SeededRandom(seed: seed ^ 20_261_130)
    }

    /// Draws true with this probability in percent, from the generator for teams.
    mutating func lot(_ percent: Int) -> Bool { lot(in: 0..<100) < percent }

    mutating func lot(in range: Range<Int>) -> Int { Int.random(in: range, using: &teaming) }

    /// Offers work at a shop to a number without an account. The ids are those of no other offer or person.
    mutating func offerToNumber(at shop: ShopID) -> Command {
        offers += 1
        let (number, invitation) = (AccountID(base + 9_600 + UInt128(lot(in: 0..<3))), InvitationID(base + 2_000 + offers % 7_000))
        return Sample.invite(number, to: shop, as: invitation, role: lot(50) ? .manager : .counter)
    }

    /// Draws true with this probability in percent, from the generator for milestones.
    mutating func luck(_ percent: Int) -> Bool { Int.random(in: 0..<100, using: &rewarding) < percent }

    mutating func chance(_ percent: Int) -> Bool { number(in: 0..<100) < percent }

    mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func account() -> AccountID { AccountID(base + UInt128(number(in: 1..<8))) }

    mutating func shop() -> ShopID { ShopID(base + UInt128(number(in: 1..<4))) }

    mutating func campaign() -> CampaignID { CampaignID(base + UInt128(number(in: 1..<8))) }

    /// Draws the id of an invitation from a few numbers, so that answers to invitations often name an existing one.
    mutating func invitation() -> InvitationID { InvitationID(base + UInt128(number(in: 1..<12))) }

    /// Draws the id of a card of the town. There may be no card with this id yet.
    mutating func anyCard() -> CardID { CardID((cardsBefore + UInt128(number(in: 1..<60))) * 100) }

    /// Draws the id of a redemption of the town. There may be no redemption with this id yet.
    mutating func anyRedemption() -> RedemptionID { RedemptionID(redemptionsBefore + UInt128(number(in: 1..<40))) }

    /// Begins a new town with other people, shops and campaigns. The time and the numbers of new objects continue from the previous town.
    mutating func moveOn() {
        base += RandomHistory.numbersOfTown
        (cardsBefore, redemptionsBefore) = (cards.newest, redemptions.newest)
    }

    /// Advances the time, mostly by seconds and at times by up to an hour, and sometimes sets it back a little, as real clocks do.
    mutating func passTime() {
        let seconds = chance(5) ? -number(in: 0..<30) : chance(3) ? number(in: 0..<3_600) : number(in: 0..<25)
        now = Instant(microseconds: now.advanced(bySeconds: Int64(seconds)).microseconds + Int64(number(in: 0..<1_000_000)))
    }

    /// Sets the time to the exact microsecond of a deadline, which no random step would hit.
    mutating func jump(to deadline: Instant) {
        now = deadline
    }

    /// Draws a command of any kind. The proportions of the kinds are such that cards become full.
    mutating func command() -> Command {
        switch number(in: 0..<114) {
        case 0..<3: register()
        case 3..<6: open()
        case 6..<14: publish()
        case 14..<15: chance(60) ? Sample.end(campaign()) : Sample.reopen(campaign())
        case 15..<37: issue()
        case 37..<39: Sample.destroy(CodeID(codes.old(&random)))
        case 39..<59: stamp()
        case 59..<63: give()
        case 63..<66: Sample.discard(card())
        case 66..<78: request()
        case 78..<88: Sample.redeem(Secret(redemptions.old(&random)))
        case 88..<91: review()
        case 91..<93: reply()
        case 93..<94: Sample.remove(ReviewID(reviews.old(&random)), asOperator: chance(10))
        case 94..<95: notice()
        case 95..<103: chance(60) ? Sample.favor(campaign()) : Sample.unfavor(campaign())
        case 103..<106: session()
        default: office()
        }
    }

    /// Returns a command that records a card's end or sends its reminder. The reminder's notice id may be in use already.
    mutating func age(_ card: CardID) -> Command {
        Sample.age(card, notice: NoticeID(notices.new(&random)))
    }

    private mutating func register() -> Command {
        let account = account()
        return Sample.register(account, phone: chance(90) ? account.value : base + UInt128(number(in: 1..<9)))
    }

    private mutating func open() -> Command {
        Sample.open(shop(), name: chance(90) ? "茶" : "\u{0}")
    }

    private mutating func publish() -> Command {
        let starts = now.advanced(bySeconds: Int64(number(in: -3_600..<600)))
        let (campaign, shop) = (campaign(), shop())
        let kind: CampaignKind = chance(80) ? .stampCard : chance(40) ? .promotion : .coupon
        let goal = number(in: chance(60) ? 1..<4 : -1..<52)
        return Sample.publish(
            campaign, at: shop, kind: kind, goal: goal,
            from: starts, to: starts.advanced(bySeconds: Int64(number(in: -60..<40_000))), caps: chance(30) ? caps() : .none,
            options: with(milestones(below: goal, of: kind), chance(30) ? options() : .none))
    }

    private func with(_ milestones: [Milestone], _ options: CampaignOptions) -> CampaignOptions {
        var options = options
        options.milestones = milestones
        return options
    }

    /// Draws one or two milestones for some campaigns, a few of them invalid.
    private mutating func milestones(below goal: Int, of kind: CampaignKind) -> [Milestone] {
        guard luck(40) else { return [] }
        let all = [Milestone(at: luck(70) ? 1 : 2, reward: "A cookie"), Milestone(at: luck(95) ? 3 : 1, reward: "A small tea")]
        return all.filter { kind == .stampCard && $0.at < goal || luck(1) }
    }

    private mutating func issue() -> Command {
        let name = codes.new(&random)
        return Sample.issue(
            CodeID(name), of: campaign(), secret: Secret(chance(95) ? name : codes.old(&random)),
            stamps: number(in: chance(80) ? 1..<5 : -1..<12), validFor: number(in: chance(90) ? 60..<900 : -1..<90_000))
    }

    /// Submits a code. Each code gets a range of new card ids, because one code may open up to ten cards. Sometimes the range overlaps that
    /// of another code.
    mutating func stamp(_ secret: Secret? = nil) -> Command {
        let first = cards.new(&random) * 100 + UInt128(chance(90) ? 0 : number(in: 0..<4))
        return Sample.stamp(secret ?? Secret(codes.old(&random)), campaign: chance(20) ? campaign() : nil, firstCard: CardID(first))
    }

    /// Gives stamps to an account that exists, or to one that has not registered yet.
    private mutating func give() -> Command {
        let name = codes.new(&random)
        let issue = IssueCode(
            code: CodeID(name), campaign: campaign(), secret: Secret(name), attempt: 0, stamps: number(in: 1..<5), validFor: 60)
        let first = cards.new(&random) * 100
        return .giveStamps(GiveStamps(issue: issue, holder: account(), isWaiting: chance(30), firstCard: CardID(first)))
    }

    /// Gives stamps to a person who is not registered. It draws only from the generator for milestones.
    mutating func give(to person: AccountID) -> (command: Command, campaign: CampaignID)? {
        let name = codes.new(&random)
        let campaign = CampaignID(base + (luck(50) ? 1 : 2))
        let issue = IssueCode(
            code: CodeID(name), campaign: campaign, secret: Secret(name), attempt: 0, stamps: luck(50) ? 1 : 3, validFor: 60)
        let first = CardID(cards.new(&random) * 100)
        return (.giveStamps(GiveStamps(issue: issue, holder: person, isWaiting: true, firstCard: first)), campaign)
    }

    /// Claims a coupon. `coupon` is an existing coupon campaign, because a random campaign is rarely a coupon campaign.
    mutating func claim(of coupon: CampaignID) -> Command {
        let new = CardID(cards.new(&random) * 100)
        return Sample.claim(chance(90) ? new : card(), of: chance(95) ? coupon : campaign())
    }

    private mutating func card() -> CardID {
        CardID(cards.old(&random) * 100 + UInt128(chance(80) ? 0 : number(in: 0..<4)))
    }

    /// Requests a redemption. `fullCard` is an existing full card, because a random card rarely is one.
    mutating func request(for fullCard: CardID? = nil) -> Command {
        let name = redemptions.new(&random)
        return Sample.request(
            RedemptionID(name), for: fullCard ?? card(), secret: Secret(chance(95) ? name : redemptions.old(&random)))
    }

    /// Requests a milestone. `card` is a card with milestones.
    mutating func request(_ milestone: Int, for card: CardID) -> Command {
        rewards += 1
        return Sample.requestMilestone(luck(95) ? milestone : 2, RedemptionID(rewards), Secret(rewards), for: card)
    }

    private mutating func review() -> Command {
        let text = chance(50) ? Sealed([1]) : nil
        return Sample.review(ReviewID(reviews.new(&random)), rating: chance(70) ? number(in: 0..<7) : nil, text: text, of: shop())
    }

    private mutating func reply() -> Command {
        Sample.reply(ReviewID(reviews.new(&random)), to: ReviewID(reviews.old(&random)))
    }

    private mutating func notice() -> Command {
        guard chance(60) else { return Sample.read(NoticeID(notices.old(&random))) }
        if chance(20) { return Sample.withdrawNotice(NoticeID(notices.old(&random))) }
        let audience: NoticeAudience = chance(30) ? .all : chance(70) ? .shop(shop()) : .holders(campaign(), of: shop())
        let moment = chance(50) ? now.advanced(bySeconds: Int64(number(in: -70..<400))) : nil
        return Sample.notify(NoticeID(notices.new(&random)), to: audience, at: moment)
    }

    private mutating func session() -> Command {
        let session = SessionID(base + UInt128(number(in: 1..<9)))
        let expiresAt = now.advanced(bySeconds: Int64(number(in: -5..<9_000)))
        switch number(in: 0..<6) {
        case 0: return .endSession(EndSession(session: session))
        case 1, 2:
            // Everybody has the number that `Sample.register` gives them.
            let phone = Sealed(Array(repeating: 7, count: 40))
            let token = Secret(tokens.new(&random))
            return .startSession(StartSession(session: session, token: token, expiresAt: expiresAt, phone: phone, password: nil))
        default: return refresh(session, presenting: tokens.old(&random), until: expiresAt)
        }
    }

    mutating func refresh(_ session: SessionID, presenting token: UInt128, until expiresAt: Instant) -> Command {
        .refreshSession(
            RefreshSession(session: session, presented: Secret(token), next: Secret(tokens.new(&random)), expiresAt: expiresAt))
    }
}
