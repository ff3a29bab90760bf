import Loyalty

/// Draws commands that mostly make sense and sometimes do not: few people, few ids, so that they get in each other's way.
struct Mischief {
    private var random: SplitMix64
    private(set) var now = HandClock.start
    private var issued: UInt128 = 0
    private var named: UInt128 = 1_000

    init(seed: UInt64) {
        random = SplitMix64(seed: seed)
    }

    /// The next command, who gives it, and when.
    mutating func next() -> (command: Command, actor: AccountID, at: Instant) {
        now = now.advanced(bySeconds: Int64(number(in: chance(4) ? 0..<900 : 0..<12)))
        let command = command()
        return (command, actor(of: command), now)
    }

    /// The beginning of every history, so that a short one gets far: six people, two shops, two campaigns each.
    static let beginning: [(command: Command, actor: AccountID, at: Instant)] = {
        let people = (1...6).map { number in (registration(number), AccountID(UInt128(number)), HandClock.start) }
        let shops = (1...2).map { number in (opening(number), AccountID(UInt128(number)), HandClock.start) }
        let campaigns = (1...4).map { number in
            (publication(number, goal: number, from: HandClock.start), AccountID(UInt128((number + 1) / 2)), HandClock.start)
        }
        return people + shops + campaigns
    }()

    private mutating func number(in range: Range<Int>) -> Int { Int.random(in: range, using: &random) }

    private mutating func chance(_ percent: Int) -> Bool { number(in: 0..<100) < percent }

    /// Mostly a recent one, so that things are used while they are good, and are asked for again after they were forgotten.
    private mutating func recent(_ newest: UInt128) -> UInt128 {
        guard newest > 0 else { return 1 }
        return newest - UInt128(number(in: 0..<Int(min(newest, chance(80) ? 12 : 300))))
    }

    private mutating func name() -> UInt128 {
        named += 1
        return named
    }

    private mutating func actor(of command: Command) -> AccountID {
        let likely: Int
        switch command {
        case .publishCampaign, .issueCode, .endCampaign, .destroyCode, .redeem, .openShop: likely = number(in: 1..<3)
        default: likely = number(in: 3..<7)
        }
        return AccountID(UInt128(chance(92) ? likely : number(in: 1..<9)))
    }

    private mutating func command() -> Command {
        switch number(in: 0..<100) {
        case 0..<2: Self.registration(number(in: 1..<8))
        case 2..<3: Self.opening(number(in: 1..<4))
        case 3..<5: Self.publication(number(in: 1..<7), goal: number(in: 1..<5), from: now)
        case 5..<6: chance(10) ? .endCampaign(EndCampaign(campaign: campaign())) : issue()
        case 6..<36: issue()
        case 36..<38: .destroyCode(DestroyCode(code: CodeID(recent(issued))))
        case 38..<72: stamp()
        case 72..<75: .discardCard(DiscardCard(card: card()))
        case 75..<84: request()
        case 84..<92: .redeem(Redeem(secret: Secret(recent(named))))
        case 92..<96: review()
        default: session()
        }
    }

    private mutating func campaign() -> CampaignID { CampaignID(UInt128(number(in: 1..<6))) }

    /// Any card that a recent stamp may have opened: card ids follow the codes'.
    private mutating func card() -> CardID { CardID(recent(issued) * 100 + UInt128(chance(70) ? 0 : number(in: 0..<4))) }

    private mutating func issue() -> Command {
        issued += 1
        let secret = chance(97) ? issued : recent(issued)
        return .issueCode(
            IssueCode(
                code: CodeID(chance(98) ? issued : recent(issued)), campaign: campaign(), secret: Secret(secret), attempt: 0,
                stamps: number(in: chance(80) ? 1..<5 : -1..<12), validFor: number(in: 30..<900)))
    }

    private mutating func stamp() -> Command {
        let secret = recent(issued)
        let first = CardID(secret * 100 + UInt128(chance(95) ? 0 : number(in: 0..<4)))
        return .stamp(Stamp(secret: Secret(secret), campaign: chance(15) ? campaign() : nil, firstCard: first))
    }

    private mutating func request() -> Command {
        let id = name()
        return .requestRedemption(
            RequestRedemption(redemption: RedemptionID(id), card: card(), secret: Secret(chance(95) ? id : recent(named)), attempt: 0))
    }

    private mutating func review() -> Command {
        let id = ReviewID(name())
        if chance(50) {
            return .postReview(
                PostReview(review: id, shop: ShopID(UInt128(number(in: 1..<4))), rating: number(in: 0..<7), text: Sealed([1, 2])))
        }
        return .postReply(PostReply(reply: id, parent: ReviewID(recent(named)), text: Sealed([3])))
    }

    private mutating func session() -> Command {
        let session = SessionID(UInt128(number(in: 1..<9)))
        let expiresAt = now.advanced(bySeconds: 9_000)
        switch number(in: 0..<4) {
        case 0: return .endSession(EndSession(session: session))
        case 1: return .startSession(StartSession(session: session, token: Secret(name()), expiresAt: expiresAt))
        default:
            return .refreshSession(
                RefreshSession(session: session, presented: Secret(recent(named)), next: Secret(name()), expiresAt: expiresAt))
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
                campaign: CampaignID(UInt128(number)), shop: ShopID(UInt128((number + 1) / 2)), kind: .stampCard, title: "Ten cups",
                details: "", goal: goal, reward: "The eleventh", startsAt: start, endsAt: start.advanced(bySeconds: 20 * 86_400)))
    }
}
