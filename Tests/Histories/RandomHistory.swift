public import Loyalty
import LoyaltyCodec
public import Seeds
public import World

/// A random legal history: random commands are judged by the real decisions, and the resulting events are kept in order.
///
/// There are a few shops, campaigns with small goals, and by default two dozen customers. So cards fill and are redeemed, ratings are
/// replaced, and threads of replies grow deep.
public struct RandomHistory {
    /// The events so far; positions are dense from 1.
    public private(set) var facts: [Fact] = []
    public private(set) var world = World()
    public private(set) var now = Instant(microseconds: 1_700_000_000_000_000)
    var random: SeededRandom
    /// A separate generator for scheduled notices. Its draws do not change the random choices of the rest of a history.
    var planning = SeededRandom(seed: 20_261_124)

    /// A separate generator for coupons. Its draws do not change the random choices of the rest of a history.
    var claiming = SeededRandom(seed: 20_261_125)
    /// A separate generator for paper cards. Its draws do not change the random choices of the rest of a history.
    var printing = SeededRandom(seed: 20_261_126)

    /// A separate generator for long pauses and reminders. Its draws do not change the random choices of the rest of a history.
    private var ageing = SeededRandom(seed: 20_261_126)

    /// A separate generator for milestones. Its draws do not change the random choices of the rest of a history.
    private var rewarding = SeededRandom(seed: 20_261_127)

    /// A separate generator for accounts that take over waiting cards. Its draws do not change the random choices of the rest of a history.
    var joining = SeededRandom(seed: 20_261_128)
    /// A separate generator for names of staff, waiting offers and looks of shops. Its draws do not change the rest of a history.
    var teaming = SeededRandom(seed: 20_261_130)
    /// A separate generator for saved searches. Its draws do not change the rest of a history.
    var searching = SeededRandom(seed: 20_261_201)
    /// The people whose cards customers took over. Nobody stamps for them any more, because their numbers are those of the customers.
    var departed: Set<AccountID> = []

    public private(set) var owners: [AccountID] = []
    public private(set) var customers: [AccountID] = []
    public private(set) var shops: [ShopID] = []
    var campaigns: [CampaignID] = []
    /// The coupon campaigns.
    var coupons: [CampaignID] = []
    /// The prints of paper cards, one for each campaign.
    var prints: [PaperPrint] = []
    private var reviews: [ReviewID] = []
    private var notices: [NoticeID] = []
    /// The scheduled notices that have not appeared yet, and their times.
    var planned: [(notice: NoticeID, at: Instant)] = []
    private var secrets: [Secret] = []
    private var redemptions: [Secret] = []
    let takesBack: Bool
    let hasRoles: Bool
    private let ages: Bool
    private let hasMilestones: Bool
    private let joins: Bool
    private let hasTeams: Bool
    private let searches: Bool

    /// - Parameters:
    ///   - shops: at least 1; each has two campaigns.
    ///   - customers: at least 1.
    ///   - takesBack: whether shops reverse stamps and reopen campaigns. Older fixtures were made without this.
    ///   - roles: whether shops also have managers. Ignored if `takesBack` is false, because there are no managers then.
    ///   - ages: whether cards expire. Then hours or days also pass between two steps, and reminders are sent.
    ///   - milestones: whether campaigns have milestones, which customers redeem.
    ///   - joins: whether customers take over cards that wait for a phone number.
    ///   - teams: whether shops name their people, offer work to numbers without accounts, and choose colors and logos.
    ///   - searches: whether customers save searches, and get alerts.
    public init(
        random: SeededRandom, shops: Int = 3, customers: Int = 24, takesBack: Bool = true, roles: Bool = true, ages: Bool = false,
        milestones: Bool = false, joins: Bool = false, teams: Bool = false, searches: Bool = false
    ) {
        (self.random, self.ages, hasMilestones, self.joins, hasTeams) = (random, ages, milestones, joins, teams)
        (self.takesBack, self.searches) = (takesBack, searches)
        hasRoles = takesBack && roles
        for _ in 0..<shops { openShop() }
        for _ in 0..<customers { self.customers.append(register()) }
        if ages { letCardsEnd() }
        if milestones { addMilestones() }
    }

    /// Performs random steps until there are at least this many facts.
    public mutating func grow(to count: Int) {
        while facts.count < count { step() }
    }

    /// Advances the time without adding an event.
    public mutating func pass(seconds: Int64) {
        now = now.advanced(bySeconds: seconds)
    }

    /// Performs one random command, which may be rejected.
    public mutating func step() {
        now = now.advanced(bySeconds: Int64.random(in: 1...40, using: &random))
        if ages { age() }
        runDue()
        if hasMilestones { reward() }
        if joins, Int.random(in: 0..<100, using: &joining) < 12 { join() }
        if hasTeams, Int.random(in: 0..<100, using: &teaming) < 8 { team() }
        if searches, Int.random(in: 0..<100, using: &searching) < 12 { search() }
        if takesBack, Int.random(in: 0..<100, using: &planning) < 2 { plan() }
        if takesBack, Int.random(in: 0..<100, using: &claiming) < 3 { claim() }
        if takesBack, Int.random(in: 0..<100, using: &printing) < 6 { paper() }
        if takesBack, Int.random(in: 0..<100, using: &random) < 4 { return takeBack() }
        if Int.random(in: 0..<100, using: &random) < 4 { return office() }
        switch Int.random(in: 0..<100, using: &random) {
        case 0..<70: stamp()
        case 70..<76: requestRedemption()
        case 76..<82: redeem()
        case 82..<84: discard()
        case 84..<92: review()
        case 92..<96: reply()
        case 96..<97: remove()
        case 97..<98: notify()
        case 98..<99: read()
        default: customers.append(register())
        }
    }

    /// A new id that contains the time, like those of the service.
    public mutating func id() -> UInt128 {
        UUIDv7.make(at: now, random: (random.next(), random.next()))
    }

    /// A new id for a scheduled notice.
    mutating func plannedID() -> UInt128 {
        UUIDv7.make(at: now, random: (planning.next(), planning.next()))
    }

    /// A new id for a coupon or its campaign.
    mutating func claimedID() -> UInt128 {
        UUIDv7.make(at: now, random: (claiming.next(), claiming.next()))
    }

    /// Runs a command.
    ///
    /// - Returns: the resulting events; none if the command was rejected.
    @discardableResult
    public mutating func run(_ command: Command, by actor: AccountID) -> [LoyaltyEvent] {
        guard case .success(let events) = command.decide(in: &world, by: actor, at: now) else { return [] }
        for event in events {
            let fact = Fact(position: UInt64(facts.count) + 1, time: now, actor: actor, event: event)
            facts.append(fact)
            world.evolve(fact)
        }
        return events
    }
}

extension RandomHistory {
    private mutating func register() -> AccountID {
        let account = AccountID(id())
        run(.registerAccount(RegisterAccount(account: account, phone: Secret(id()), sealedPhone: Sealed([1, 2, 3]))), by: account)
        return account
    }

    private mutating func openShop() {
        let (owner, shop) = (register(), ShopID(id()))
        owners.append(owner)
        shops.append(shop)
        let place = Coordinate(latitude: 31.2, longitude: 121.5)
        run(.openShop(OpenShop(shop: shop, name: "茶", phone: "+86 21 5555", address: "1 Tea Road", location: place)), by: owner)
        for goal in [3, 10] { publish(goal, at: shop, by: owner) }
    }

    private mutating func publish(_ goal: Int, at shop: ShopID, by owner: AccountID) {
        let campaign = CampaignID(id())
        campaigns.append(campaign)
        run(
            .publishCampaign(
                PublishCampaign(
                    campaign: campaign, shop: shop, kind: .stampCard,
                    terms: CampaignTerms(
                        title: "\(goal) cups", details: "", goal: goal, reward: "One free cup 免费", startsAt: now,
                        endsAt: now.advanced(bySeconds: 1_000 * 86_400)))),
            by: owner)
    }

    private mutating func stamp() {
        let campaign = campaigns.randomElement(using: &random)!
        let shop = world.campaigns[campaign]!.shop
        let secret = Secret(id())
        let stamps = Bool.random(using: &random) ? 1 : Int.random(in: 1...10, using: &random)
        if takesBack, Int.random(in: 0..<5, using: &random) == 0 { return give(stamps, in: campaign, at: shop, secret) }
        run(
            .issueCode(IssueCode(code: CodeID(id()), campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)),
            by: world.shops[shop]!.owner)
        run(.stamp(Stamp(secret: secret, campaign: nil, firstCard: CardID(id()))), by: customers.randomElement(using: &random)!)
    }

    /// Gives stamps at the counter, sometimes to an account that registers later.
    private mutating func give(_ stamps: Int, in campaign: CampaignID, at shop: ShopID, _ secret: Secret) {
        let isWaiting = Int.random(in: 0..<8, using: &random) == 0
        let holder = isWaiting ? AccountID(id()) : customers.randomElement(using: &random)!
        let issue = IssueCode(code: CodeID(id()), campaign: campaign, secret: secret, attempt: 0, stamps: stamps, validFor: 600)
        let give = GiveStamps(issue: issue, holder: holder, isWaiting: isWaiting, firstCard: CardID(id()))
        run(.giveStamps(give), by: world.shops[shop]!.owner)
        guard isWaiting, Bool.random(using: &random) else { return }
        run(.registerAccount(RegisterAccount(account: holder, phone: Secret(id()), sealedPhone: Sealed([1, 2, 3]))), by: holder)
        customers.append(holder)
    }

    private mutating func requestRedemption() {
        let full = world.cards.values.filter { $0.status == .full }.sorted { $0.id < $1.id }
        guard let card = full.randomElement(using: &random) else { return }
        let secret = Secret(id())
        redemptions.append(secret)
        run(
            .requestRedemption(RequestRedemption(redemption: RedemptionID(id()), card: card.id, secret: secret, attempt: 0)),
            by: card.holder)
    }

    private mutating func redeem() {
        guard let secret = redemptions.last else { return }
        run(.redeem(Redeem(secret: secret)), by: owners.randomElement(using: &random)!)
    }

    private mutating func discard() {
        guard let card = world.cards.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else { return }
        run(.discardCard(DiscardCard(card: card.id)), by: card.holder)
    }

    private mutating func review() {
        let review = ReviewID(id())
        let rating = Int.random(in: 0...5, using: &random)
        let text = rating == 0 || Bool.random(using: &random) ? Sealed([7, UInt8.random(in: 0...255, using: &random)]) : nil
        let command = PostReview(
            review: review, shop: shops.randomElement(using: &random)!, rating: rating == 0 ? nil : rating, text: text)
        let events = run(.postReview(command), by: customers.randomElement(using: &random)!)
        if !events.isEmpty { reviews.append(review) }
    }

    private mutating func reply() {
        guard let parent = reviews.suffix(40).randomElement(using: &random) else { return }
        let reply = ReviewID(id())
        let author = (customers + owners).randomElement(using: &random)!
        let events = run(.postReply(PostReply(reply: reply, parent: parent, text: Sealed([9]))), by: author)
        if !events.isEmpty { reviews.append(reply) }
    }

    private mutating func remove() {
        guard let review = reviews.suffix(40).randomElement(using: &random), let known = world.reviews[review] else { return }
        let isOwn = Bool.random(using: &random)
        run(.removeReview(RemoveReview(review: review, asOperator: !isOwn)), by: isOwn ? known.author : owners[0])
    }

    private mutating func notify() {
        let notice = NoticeID(id())
        let owner = owners.randomElement(using: &random)!
        let audience: NoticeAudience = Bool.random(using: &random) ? .all : .shop(world.shops(ownedBy: owner)[0].id)
        let (title, text) = (Sealed([3, UInt8.random(in: 0...255, using: &random)]), Sealed([4]))
        let events = run(.postNotice(PostNotice(notice: notice, audience: audience, title: title, text: text)), by: owner)
        if !events.isEmpty { notices.append(notice) }
    }

    /// Publishes the scheduled notices that are due.
    private mutating func runDue() {
        for due in planned where due.at <= now {
            if !run(.publishNotice(PublishNotice(notice: due.notice)), by: .system).isEmpty { notices.append(due.notice) }
        }
        planned.removeAll { $0.at <= now }
    }

    /// Makes the cards of two in three campaigns expire: after 3 days, so that only the second reminder is due, or after 16 days, so that
    /// both are.
    private mutating func letCardsEnd() {
        for (number, campaign) in campaigns.enumerated() where number % 3 > 0 {
            guard let owner = world.campaigns[campaign].flatMap({ world.shops[$0.shop]?.owner }) else { continue }
            var changes = CampaignOptionChanges()
            changes.cardValidDays = .set(number % 3 == 1 ? 3 : 16)
            run(.editCampaign(EditCampaign(campaign: campaign, expected: .any, options: changes)), by: owner)
        }
    }

    /// Adds a milestone at one stamp and, to campaigns with larger goals, one at two stamps.
    private mutating func addMilestones() {
        for campaign in campaigns {
            guard let known = world.campaigns[campaign], let owner = world.shops[known.shop]?.owner else { continue }
            var changes = CampaignOptionChanges()
            let all = [Milestone(at: 1, reward: "A cookie"), Milestone(at: 2, reward: .sealed(Sealed([1, 2, 3])))]
            changes.milestones = .set(known.goal > 3 ? all : Array(all.prefix(1)))
            run(.editCampaign(EditCampaign(campaign: campaign, expected: .any, options: changes)), by: owner)
        }
    }

    /// At times a customer requests a milestone and mostly gets its reward. Some of these redemptions are reversed.
    private mutating func reward() {
        let chance = Int.random(in: 0..<100, using: &rewarding)
        if chance < 2 {
            let given = world.redemptions.values.filter { $0.milestone != nil && $0.isRedeemed && !$0.isReversed }.sorted { $0.id < $1.id }
            guard let redemption = given.randomElement(using: &rewarding), let owner = world.shops[redemption.shop]?.owner else { return }
            run(.reverseRedemption(ReverseRedemption(redemption: redemption.id, reason: "Wrong card")), by: owner)
            return
        }
        guard chance < 20 else { return }
        let cards = world.cards.values.filter { !$0.terms.milestones.isEmpty && $0.stamps > 0 }.sorted { $0.id < $1.id }
        guard let card = cards.randomElement(using: &rewarding), let milestone = card.terms.milestones.randomElement(using: &rewarding)
        else {
            return
        }
        let secret = Secret(rewardedID())
        let request = RequestRedemption(
            redemption: RedemptionID(rewardedID()), card: card.id, milestone: milestone.at, secret: secret, attempt: 0)
        guard !run(.requestRedemption(request), by: card.holder).isEmpty, chance < 17 else { return }
        if let owner = world.shops[card.shop]?.owner { run(.redeem(Redeem(secret: secret)), by: owner) }
    }

    private mutating func rewardedID() -> UInt128 {
        UUIDv7.make(at: now, random: (rewarding.next(), rewarding.next()))
    }

    /// With a small probability, lets hours or days pass. Then records the end or a reminder, if one is due, for a random half of the
    /// cards. The other cards are recorded later, as if the writer were late.
    private mutating func age() {
        let chance = Int.random(in: 0..<200, using: &ageing)
        if chance < 8 { pass(seconds: chance == 0 ? 5 * 86_400 : 43_200) }
        let ending = world.cards.values.filter { $0.terms.expiresAt != nil && ($0.status == .collecting || $0.status == .full) }
        for card in ending.sorted(by: { $0.id < $1.id }) where Bool.random(using: &ageing) {
            let notice = NoticeID(UUIDv7.make(at: now, random: (ageing.next(), ageing.next())))
            let events = run(.ageCard(AgeCard(card: card.id, notice: notice)), by: .system)
            if case .cardReminded = events.first { notices.append(notice) }
        }
    }

    private mutating func read() {
        guard let notice = notices.suffix(5).randomElement(using: &random) else { return }
        run(.readNotice(ReadNotice(notice: notice)), by: customers.randomElement(using: &random)!)
    }
}
