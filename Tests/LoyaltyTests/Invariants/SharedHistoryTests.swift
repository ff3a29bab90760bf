import Loyalty
import Seeds
import Testing
import World

/// Random days of shops that share a campaign, compared with a bookkeeper that knows only the text of the rules.
@Suite struct SharedHistoryTests {
    @Test("Stamps and rewards are given and counted once, at the shop that the rules say; every card belongs to the campaign's own shop")
    func noRuleBreaks() {
        var random = SeededRandom.announced("SharedHistoryTests")
        var reached: [String: Int] = [:]
        for _ in 0..<40 {
            var day = SharedDay(seed: random.next())
            for step in 0..<150 {
                guard let wrong = day.step() else { continue }
                Issue.record("step \(step): \(wrong)")
                return
            }
            if let wrong = day.totals() { Issue.record("\(wrong)") }
            reached.merge(day.reached, uniquingKeysWith: +)
        }
        // If the generator never reaches these outcomes, the test proves nothing.
        for kind in ["issued", "issuedElsewhere", "redeemed", "redeemedElsewhere", "edited", "refused", "sold"] {
            #expect(reached[kind, default: 0] >= 20, "\(kind) occurred too rarely")
        }
    }
}

/// The state of the shops and the campaign, as the text of the rules describes it.
private struct BrandBook {
    static let home = Sample.shop
    var owners = [Sample.shop: Sample.owner, Branch.shop: Sample.owner, Branch.third: Sample.owner, Sample.rivalShop: Sample.rival]
    var staff: [ShopID: Set<AccountID>] = [Sample.shop: [Sample.staff], Branch.shop: [Branch.clerk]]
    var suspended: Set<ShopID> = []
    /// The other shops that the campaign names.
    var named: Set<ShopID> = [Branch.shop]
    var stamps: [ShopID: Int] = [:]
    var rewards: [ShopID: Int] = [:]

    var brand: Set<ShopID> { named.filter { owners[$0] == owners[Self.home] }.union([Self.home]) }

    func works(_ account: AccountID, at shop: ShopID) -> Bool {
        owners[shop] == account || staff[shop, default: []].contains(account)
    }

    func isOwn(_ account: AccountID) -> Bool { brand.contains { works(account, at: $0) } }

    /// The shop at which a command by this person takes effect. Nil if the person does not work at the named shop, or if no shop is named
    /// and it is unclear which of the other shops is meant.
    func place(_ wanted: ShopID?, _ actor: AccountID) -> ShopID? {
        let own = brand.filter { works(actor, at: $0) }
        if let wanted { return own.contains(wanted) ? wanted : nil }
        if own.contains(Self.home) { return Self.home }
        let open = own.filter { !suspended.contains($0) }
        return open.count == 1 ? open.first : own.count == 1 ? own.first : nil
    }

    func issues(_ wanted: ShopID?, _ actor: AccountID) -> ShopID? {
        guard let place = place(wanted, actor), !suspended.contains(place), !suspended.contains(Self.home) else { return nil }
        return place
    }

    func redeems(_ wanted: ShopID?, _ actor: AccountID) -> ShopID? {
        guard let place = place(wanted, actor), place == Self.home || !suspended.contains(place) else { return nil }
        return place
    }

    /// Whether the owner may share the campaign with these shops; shops that the campaign names already are not judged again.
    func shares(_ shops: [ShopID]) -> Bool {
        let others = shops.filter { $0 != Self.home }
        let isOpen = { (shop: ShopID) in owners[shop] == owners[Self.home] && !suspended.contains(shop) }
        return Set(shops).count == shops.count && others.allSatisfy { named.contains($0) || isOpen($0) }
    }
}

private struct SharedDay {
    private static let people = [Sample.owner, Sample.rival, Sample.staff, Sample.customer, Sample.stranger, Branch.clerk]
    private static let shops = [Sample.shop, Branch.shop, Branch.third, Sample.rivalShop]

    private var random: SeededRandom
    private var scenario = Branch.shared
    private var book = BrandBook()
    private var facts: [LoyaltyEvent] = []
    private var number: UInt128 = 10_000
    private var now = Sample.start
    private(set) var reached: [String: Int] = [:]

    init(seed: UInt64) { random = SeededRandom(seed: seed) }

    /// Performs one random step.
    ///
    /// - Returns: a description of the first violation, or nil.
    mutating func step() -> String? {
        now = now.advanced(bySeconds: 1)
        switch random.int(0...19) {
        case 0: sell()
        case 1: suspend()
        case 2: staff()
        case 3, 4: return edit()
        case 5...8: return redeem()
        default: return stamp()
        }
        return nil
    }

    private mutating func sell() {
        let shop = random.pick([Sample.shop, Branch.shop, Branch.third])
        let seller = book.owners[shop] ?? Sample.owner
        let buyer = seller == Sample.owner ? Sample.rival : Sample.owner
        number += 1
        scenario = scenario.given(
            .shopTransferred(ShopTransferred(invitation: InvitationID(number), shop: shop, account: buyer, formerOwner: seller)), at: now)
        book.owners[shop] = buyer
        reached["sold", default: 0] += 1
    }

    private mutating func suspend() {
        let shop = random.pick([Sample.shop, Branch.shop, Branch.third])
        let isSuspended = book.suspended.remove(shop) != nil
        if !isSuspended { book.suspended.insert(shop) }
        scenario = scenario.given(isSuspended ? Sample.reinstated(shop) : Sample.suspended(shop), at: now)
    }

    private mutating func staff() {
        let (shop, member) = (random.pick(Self.shops), random.pick([Sample.staff, Sample.stranger, Branch.clerk]))
        let isThere = book.staff[shop, default: []].remove(member) != nil
        if !isThere { book.staff[shop, default: []].insert(member) }
        scenario = scenario.given(isThere ? Sample.dismissed(member, from: shop) : Sample.hired(member, at: shop), at: now)
    }

    private mutating func edit() -> String? {
        let shops = Self.shops.filter { _ in random.oneIn(2) } + (random.oneIn(8) ? [Branch.shop] : [])
        var changes = CampaignOptionChanges()
        changes.shops = .set(shops)
        let actor = random.oneIn(4) ? random.pick(Self.people) : book.owners[Sample.shop] ?? Sample.owner
        let (others, isSet) = (Set(shops).subtracting([Sample.shop]), Set(shops).count == shops.count)
        let isTrading = !book.suspended.contains(Sample.shop) || others == book.named && isSet
        let isRight = book.owners[Sample.shop] == actor && isTrading && (others == book.named && isSet || book.shares(shops))
        let events = run(.editCampaign(EditCampaign(campaign: Sample.campaign, expected: .any, options: changes)), by: actor)
        guard (events != nil) == isRight else { return "an edit to \(shops) by \(actor) was judged wrongly: \(book)" }
        guard isRight else { return nil }
        book.named = others
        if events?.isEmpty == false { reached["edited", default: 0] += 1 }
        return nil
    }

    private func wanted(_ choice: Int) -> ShopID? { choice < Self.shops.count ? Self.shops[choice] : nil }

    /// Issues a code, which an account then enters at once.
    private mutating func stamp() -> String? {
        let holder = random.oneIn(2) ? Sample.customer : random.pick(Self.people)
        let (actor, shop) = (random.pick(Self.people), wanted(random.int(0...7)))
        number += 10
        let issue = IssueCode(
            code: CodeID(number), campaign: Sample.campaign, secret: Secret(number), attempt: 0, stamps: random.int(6...10), validFor: 600,
            shop: shop)
        let place = book.issues(shop, actor)
        let issued = run(.issueCode(issue), by: actor)
        guard Self.place(issued) == place else { return "a code of \(actor) at \(String(describing: shop)) was judged wrongly: \(book)" }
        guard let place else { return nil }
        reached[place == Sample.shop ? "issued" : "issuedElsewhere", default: 0] += 1
        let stamped = run(.stamp(Stamp(secret: Secret(number), campaign: nil, firstCard: CardID(number))), by: holder)
        guard (stamped != nil) == !book.isOwn(holder) else { return "a stamp of \(holder) was judged wrongly: \(book)" }
        if stamped != nil { book.stamps[place, default: 0] += issue.stamps }
        return nil
    }

    private mutating func redeem() -> String? {
        let full = scenario.world.cards.values.filter { $0.status == .full }.min { $0.id < $1.id }
        guard let full else { return nil }
        let owner = book.owners[Sample.shop] ?? Sample.owner
        let (actor, shop) = (random.oneIn(2) ? owner : random.pick(Self.people), wanted(random.int(0...5)))
        number += 10
        let request = RequestRedemption(redemption: RedemptionID(number), card: full.id, secret: Secret(number), attempt: 0)
        let requested = run(.requestRedemption(request), by: full.holder)
        guard (requested != nil) == !book.isOwn(full.holder) else { return "a request of \(full.holder) was judged wrongly: \(book)" }
        guard requested != nil else { return nil }
        let place = book.redeems(shop, actor)
        let redeemed = run(.redeem(Redeem(secret: Secret(number), shop: shop)), by: actor)
        guard Self.place(redeemed) == place else {
            return "a redemption by \(actor) at \(String(describing: shop)) was judged wrongly: \(book)"
        }
        guard let place else { return nil }
        reached[place == Sample.shop ? "redeemed" : "redeemedElsewhere", default: 0] += 1
        book.rewards[place, default: 0] += 1
        return nil
    }

    /// Compares the shops that the log names for codes, stamps and rewards with those in this book.
    func totals() -> String? {
        var (stamps, rewards): ([ShopID: Int], [ShopID: Int]) = ([:], [:])
        for event in facts {
            let place = event.shop ?? ShopID(0)
            switch event {
            case .cardStamped(let event): stamps[place, default: 0] += event.stamps
            case .cardRedeemed: rewards[place, default: 0] += 1
            case .cardOpened, .codeIssued: break
            default: continue
            }
            if event.home != (place == Sample.shop ? nil : Sample.shop) { return "\(event) has the wrong home" }
        }
        if stamps != book.stamps { return "stamps \(stamps), not \(book.stamps)" }
        if rewards != book.rewards { return "rewards \(rewards), not \(book.rewards)" }
        let strays = scenario.world.cards.values.filter { $0.campaign == Sample.campaign && $0.shop != Sample.shop }
        return strays.isEmpty ? nil : "\(strays) belong to other shops"
    }

    private static func place(_ events: [LoyaltyEvent]?) -> ShopID? { events?.first?.shop }

    private mutating func run(_ command: Command, by actor: AccountID) -> [LoyaltyEvent]? {
        guard case .success(let events) = scenario.when(command, by: actor, at: now).verdict else {
            reached["refused", default: 0] += 1
            return nil
        }
        scenario = scenario.given(events, at: now, by: actor)
        facts += events
        return events
    }
}
