import Loyalty
import Seeds
import World

/// Draws random commands, of which most can succeed. There are only a few people and ids, so that the commands affect each other.
struct Mischief {
    private var random: SeededRandom
    var now = HandClock.start
    private(set) var issued: UInt128 = 0
    private(set) var named: UInt128 = 1_000
    /// How often each kind of ``Seldom`` was chosen; see `seldom(in:)`.
    var chosen: [Seldom: Int] = [:]
    /// The second command of the pair that `seldom(in:)` has begun; nil if it has begun none.
    var following: (command: Command, actor: AccountID)?

    init(seed: UInt64) {
        random = SeededRandom(seed: seed)
    }

    /// Returns the next command with its actor and time. About half of the commands are chosen among those that can succeed in this world,
    /// because pure chance seldom fills a card.
    mutating func next(in world: World) -> Step {
        now = now.advanced(bySeconds: Int64(number(in: chance(4) ? 0..<900 : 0..<8)))
        if let (command, actor) = following.take() { return Step(command: command, actor: actor, at: now) }
        if chance(4), let step = seldom(in: world) { return step }
        let command = placed(chance(50) ? likely(in: world) ?? command() : command(), in: world)
        let actor = actor(of: command, in: world)
        return Step(command: proving(command, by: actor, in: world), actor: actor, at: now)
    }

    /// Returns a sign-in with the number and the password that its actor has now, and every other command unchanged.
    private func proving(_ command: Command, by actor: AccountID, in world: World) -> Command {
        guard case .startSession(let start) = command, let account = world.account(actor) else { return command }
        return .startSession(
            StartSession(
                session: start.session, token: start.token, expiresAt: start.expiresAt, phone: account.sealedPhone(at: now),
                password: account.password?.position))
    }

    /// A command with its actor and time.
    struct Step {
        let command: Command
        let actor: AccountID
        let at: Instant
    }

    /// The steps with which every history begins, so that even a short history covers many cases. They make six people, three shops of two
    /// owners, and two campaigns for each of the first two shops.
    static let beginning: [Step] = {
        let people = (1...6).map { Step(command: registration($0), actor: AccountID(UInt128($0)), at: HandClock.start) }
        let shops = [(1, 1), (2, 2), (3, 1)].map { shop, owner in
            Step(command: opening(shop), actor: AccountID(UInt128(owner)), at: HandClock.start)
        }
        let campaigns = (1...4).map { number in
            let command = publication(number, goal: number, from: HandClock.start)
            return Step(command: command, actor: AccountID(UInt128((number + 1) / 2)), at: HandClock.start)
        }
        return people + shops + campaigns
    }()

    mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    mutating func chance(_ percent: Int) -> Bool { number(in: 0..<100) < percent }

    /// Returns a number up to `newest`. Most numbers are recent, so that their objects are still valid. Some are older, so that the cache
    /// has evicted their objects.
    private mutating func recent(_ newest: UInt128) -> UInt128 {
        guard newest > 0 else { return 1 }
        return newest - UInt128(number(in: 0..<Int(min(newest, chance(80) ? 12 : 300))))
    }

    mutating func nextCode() -> UInt128 {
        issued += 1
        return issued
    }

    mutating func name() -> UInt128 {
        named += 1
        return named
    }

    /// Returns an actor who may give the command in most cases, and otherwise a random one.
    private mutating func actor(of command: Command, in world: World) -> AccountID {
        let likely: AccountID? =
            switch command {
            case .publishCampaign(let command): world.shops[command.shop]?.owner
            case .issueCode(let command): owner(of: command.campaign, in: world)
            case .endCampaign(let command): owner(of: command.campaign, in: world)
            case .reopenCampaign(let command): owner(of: command.campaign, in: world)
            case .reverseStamp(let command): world.codes[command.code].flatMap { world.shops[$0.shop]?.owner }
            case .printPapers(let command): world.shops[command.shop]?.owner
            case .stampPaper(let command): owner(of: command.issue.campaign, in: world)
            case .giveStamps(let command): owner(of: command.issue.campaign, in: world)
            case .issueStrip(let command): command.codes.first.flatMap { owner(of: $0.campaign, in: world) }
            case .destroyCodes(let command): world.shops[command.shop]?.owner
            case .editShop(let command): world.shops[command.shop]?.owner
            case .inviteStaff(let command): world.shops[command.shop]?.owner
            case .offerTransfer(let command): world.shops[command.shop]?.owner
            case .closeShop(let command): world.shops[command.shop]?.owner
            case .acceptInvitation(let command): world.invitations[command.invitation]?.account
            case .declineInvitation(let command): world.invitations[command.invitation]?.account
            case .staff(.leave(let command)): world.shops[command.shop]?.staff.min()
            case .unmuteShop(let command): world.mutes.filter { $0.shop == command.shop }.map(\.account).min()
            case .staff(.remove(let command)): world.shops[command.shop]?.owner
            case .editCampaign(let command): owner(of: command.campaign, in: world)
            case .reverseRedemption(let command): world.redemptions[command.redemption].flatMap { world.shops[$0.shop]?.owner }
            case .destroyCode(let command): world.codes[command.code].flatMap { world.shops[$0.shop]?.owner }
            case .redeem(let command): world.redemption(secret: command.secret).flatMap { world.shops[$0.shop]?.owner }
            case .requestRedemption(let command): world.cards[command.card]?.holder
            case .discardCard(let command): world.cards[command.card]?.holder
            case .removeReview(let command): world.reviews[command.review]?.author
            case .removeFavorite(let command): world.favorites.filter { $0.campaign == command.campaign }.map(\.account).min()
            case .postNotice(let command): command.audience.shop.flatMap { world.shops[$0]?.owner }
            case .refreshSession(let command): world.sessions[command.session]?.account
            default: nil
            }
        // The account to be erased is one that no other command needs. Late in a history, a shop's owner is erased as well.
        if case .eraseAccount = command {
            let isLate = world.position > 900 && world.accounts[AccountID(7)]?.isErased == true
            return isLate ? world.shops.values.map(\.owner).min() ?? AccountID(7) : AccountID(7)
        }
        return chance(90) ? likely ?? AccountID(UInt128(number(in: 3..<7))) : AccountID(UInt128(number(in: 1..<9)))
    }

    private func owner(of campaign: CampaignID, in world: World) -> AccountID? {
        world.campaigns[campaign].flatMap { world.shops[$0.shop]?.owner }
    }

    /// Returns a command on a usable object: an open code, a full card, a pending redemption, or a session's current token.
    private mutating func likely(in world: World) -> Command? {
        if let closed = (1...2).map({ ShopID($0) }).first(where: { world.shops[$0]?.isSuspended == true }), chance(20) {
            return .reinstateShop(ReinstateShop(shop: closed, reason: ""))
        }
        switch number(in: 0..<16) {
        case 0..<6:
            let open = Self.down(from: issued, 10).compactMap { world.codes[CodeID($0)] }.filter { $0.status(at: now) == .open }
            return open.randomElement(using: &random).map { code in
                .stamp(Stamp(secret: code.secret, campaign: nil, firstCard: CardID(code.id.value * 100)))
            }
        case 6..<8:
            let recent = Self.down(from: issued, 40).flatMap { code in (0..<4).compactMap { world.cards[CardID(code * 100 + $0)] } }
            return recent.filter { $0.status == .full }.randomElement(using: &random).map { request(for: $0.id) }
        case 8:
            let pending = Self.down(from: named, 40).compactMap { world.redemptions[RedemptionID($0)] }.filter { !$0.isRedeemed }
            return pending.randomElement(using: &random).map { .redeem(Redeem(secret: $0.secret)) }
        case 9:
            let reviews = Self.down(from: named, 40).compactMap { world.reviews[ReviewID($0)] }
            return reviews.randomElement(using: &random).map {
                .postReply(PostReply(reply: ReviewID(name()), parent: $0.id, text: Sealed([3])))
            }
        case 10, 13: return office(in: world)
        case 14: return world.favorites.map(\.campaign).min().map { .removeFavorite(RemoveFavorite(campaign: $0)) }
        case 11:
            let notices = Self.down(from: named, 100).compactMap { world.notices[NoticeID($0)] }
            return notices.randomElement(using: &random).map { .readNotice(ReadNotice(notice: $0.id)) }
        case 12:
            let reviews = Self.down(from: named, 100).compactMap { world.reviews[ReviewID($0)] }
            return reviews.randomElement(using: &random).map { .removeReview(RemoveReview(review: $0.id, asOperator: chance(30))) }
        default:
            let sessions = Self.down(from: 8, 8).compactMap { world.sessions[SessionID($0)] }.filter { $0.isAlive(at: now) }
            return sessions.randomElement(using: &random).map { session in
                let expiresAt = now.advanced(bySeconds: 9_000)
                return .refreshSession(
                    RefreshSession(session: session.id, presented: session.token, next: Secret(name()), expiresAt: expiresAt))
            }
        }
    }

    /// Returns up to `count` numbers in descending order, from `newest` down to at least 1.
    static func down(from newest: UInt128, _ count: Int) -> [UInt128] {
        (0..<min(UInt128(count), newest)).map { newest - $0 }
    }

    private mutating func command() -> Command {
        switch number(in: 0..<112) {
        case 0..<2: Self.registration(number(in: 1..<8))
        case 2..<3: Self.opening(number(in: 1..<4))
        case 3..<5: Self.publication(number(in: 1..<7), goal: number(in: 1..<5), from: now)
        case 5..<6: chance(4) ? .endCampaign(EndCampaign(campaign: CampaignID(UInt128(number(in: 4..<7))))) : issue()
        case 6..<36: issue()
        case 36..<39: .destroyCode(DestroyCode(code: CodeID(Self.down(from: issued, 3).randomElement(using: &random) ?? 1)))
        case 39..<72: stamp()
        case 72..<75: .discardCard(DiscardCard(card: card()))
        case 75..<84: request()
        case 84..<92: .redeem(Redeem(secret: Secret(recent(named))))
        case 92..<95: review()
        case 95..<96: talk()
        case 96..<98: favorite()
        case 98..<103: session()
        case 106..<112: paper()
        default: account()
        }
    }

    private mutating func campaign() -> CampaignID { CampaignID(UInt128(number(in: 1..<6))) }

    /// Returns the id of a card that a recent code may have opened. The id of such a card is a hundred times the code's id, plus 0 to 3.
    private mutating func card() -> CardID { CardID(recent(issued) * 100 + UInt128(chance(70) ? 0 : number(in: 0..<4))) }

    private mutating func issue() -> Command {
        issued += 1
        let secret = chance(97) ? issued : recent(issued)
        return .issueCode(
            IssueCode(
                code: CodeID(chance(98) ? issued : recent(issued)), campaign: campaign(), secret: Secret(secret), attempt: 0,
                stamps: number(in: chance(80) ? 1..<5 : -1..<12), validFor: number(in: 30..<900)))
    }

    /// Gives stamps to an account that exists, is not registered yet, or was erased.
    mutating func give() -> Command {
        issued += 1
        let issue = IssueCode(
            code: CodeID(issued), campaign: campaign(), secret: Secret(issued), attempt: 0, stamps: number(in: 1..<5), validFor: 60)
        let holder = AccountID(UInt128(number(in: 1..<9)))
        return .giveStamps(GiveStamps(issue: issue, holder: holder, isWaiting: chance(50), firstCard: CardID(issued * 100)))
    }

    /// Returns a command about one of a few paper cards, so that some cards are stamped before they are taken and others after.
    mutating func paper() -> Command {
        let number = number(in: 1..<5)
        let (print, campaign) = (PrintID(5_000_000 + 1_000 * UInt128(number)), CampaignID(UInt128(number)))
        let paper = PaperName(print: print, number: self.number(in: 0..<4))
        let choice = self.number(in: 0..<10)
        if choice == 0 {
            return .printPapers(
                PrintPapers(
                    print: print, shop: ShopID(UInt128((number + 1) / 2)), campaign: campaign, secret: Secret(print.value), attempt: 0,
                    count: 3))
        }
        if choice == 1 { return .reverseStamp(ReverseStamp(code: CodeID(recent(issued)), reason: "Wrong paper")) }
        issued += 1
        if choice < 8 {
            let issue = IssueCode(
                code: CodeID(issued), campaign: campaign, secret: Secret(issued), attempt: 0, stamps: self.number(in: 1..<3), validFor: 1)
            return .stampPaper(StampPaper(issue: issue, paper: paper, firstCard: CardID(issued * 100)))
        }
        return .takePaper(TakePaper(paper: paper, firstCard: CardID(issued * 100)))
    }

    mutating func strip() -> Command {
        let campaign = campaign()
        return .issueStrip(
            IssueStrip(
                codes: (0..<number(in: 0..<4)).map { _ in
                    issued += 1
                    return IssueCode(
                        code: CodeID(issued), campaign: campaign, secret: Secret(issued), attempt: 0, stamps: 1, validFor: 600)
                }))
    }

    private mutating func stamp() -> Command {
        let secret = recent(issued)
        let first = CardID(secret * 100 + UInt128(chance(95) ? 0 : number(in: 0..<4)))
        return .stamp(Stamp(secret: Secret(secret), campaign: chance(15) ? campaign() : nil, firstCard: first))
    }

    private mutating func request(for fullCard: CardID? = nil) -> Command {
        let id = name()
        return .requestRedemption(
            RequestRedemption(
                redemption: RedemptionID(id), card: fullCard ?? card(), milestone: id % 3 == 0 ? 1 : nil,
                secret: Secret(chance(95) ? id : recent(named)), attempt: 0))
    }

    private mutating func review() -> Command {
        let id = ReviewID(name())
        if chance(50) {
            return .postReview(
                PostReview(review: id, shop: ShopID(UInt128(number(in: 1..<4))), rating: number(in: 0..<7), text: Sealed([1, 2])))
        }
        return .postReply(PostReply(reply: id, parent: ReviewID(recent(named)), text: Sealed([3])))
    }

    private mutating func talk() -> Command {
        let luck = number(in: 0..<100)
        if luck < 10 { return .takeDownImage(TakeDownImage(image: ImageID(1), asOperator: luck < 5)) }
        if luck < 40 { return .giveFeedback(GiveFeedback(text: Sealed([4]))) }
        let shop = ShopID(UInt128(number(in: 1..<4)))
        return .postNotice(
            PostNotice(
                notice: NoticeID(name()), audience: chance(50) ? .all : .shop(shop), title: Sealed([5]), text: Sealed([6])))
    }

    private mutating func favorite() -> Command {
        chance(60) ? .addFavorite(AddFavorite(campaign: campaign())) : .removeFavorite(RemoveFavorite(campaign: campaign()))
    }

    private mutating func session() -> Command {
        let session = SessionID(UInt128(number(in: 1..<9)))
        let expiresAt = now.advanced(bySeconds: 9_000)
        switch number(in: 0..<5) {
        case 0: return .endSession(EndSession(session: session))
        case 1:
            return .startSession(
                StartSession(session: session, token: Secret(name()), expiresAt: expiresAt, phone: Sealed([7, 7]), password: nil))
        default:
            return .refreshSession(
                RefreshSession(session: session, presented: Secret(recent(named)), next: Secret(name()), expiresAt: expiresAt))
        }
    }

    /// Edits or erases an account. Erasure is rare, because an erased account and an erased owner's campaigns are unusable for the rest of
    /// the history.
    private mutating func account() -> Command {
        switch number(in: 0..<16) {
        case 0..<8: .editProfile(EditProfile(change: ProfileChange(nickname: chance(50) ? .set(Sealed([5])) : .cleared)))
        case 8..<10: .removePassword(RemovePassword())
        case 10..<14:
            .setPassword(SetPassword(sealedHash: Sealed([6]), replacing: nil, keeping: SessionID(UInt128(number(in: 1..<9)))))
        case 14: .endSessions(EndSessions())
        default: .eraseAccount(EraseAccount())
        }
    }

    private static func registration(_ number: Int) -> Command {
        let id = UInt128(number)
        return .registerAccount(RegisterAccount(account: AccountID(id), phone: Secret(id), sealedPhone: Sealed([7, 7])))
    }

    private static func opening(_ number: Int) -> Command {
        .openShop(
            OpenShop(
                shop: ShopID(UInt128(number)), name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road",
                location: Coordinate(latitude: 31, longitude: 121)))
    }

    private static func publication(_ number: Int, goal: Int, from start: Instant) -> Command {
        .publishCampaign(
            PublishCampaign(
                campaign: CampaignID(UInt128(number)), shop: ShopID(UInt128((number + 1) / 2)), kind: .stampCard,
                terms: CampaignTerms(
                    title: "Ten cups", details: "", goal: goal, reward: "The eleventh", startsAt: start,
                    endsAt: start.advanced(bySeconds: 20 * 86_400))))
    }
}
