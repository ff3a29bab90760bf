import Loyalty

/// Random choices for campaigns of several shops: the account that publishes such a campaign, and the shop that a command names. Also the
/// scheduler's command about the offer of a shop.
extension RandomHistory {
    /// Returns the command with a random shop, usually one of the campaign's shops. The publication of a campaign names other shops
    /// instead. The choices are drawn with `Chaos.luck`, so they do not change the other random choices.
    mutating func placed(_ command: Command) -> Command {
        switch command {
        case .issueCode(let issue): .issueCode(placed(issue))
        case .giveStamps(let give):
            .giveStamps(
                GiveStamps(issue: placed(give.issue), holder: give.holder, isWaiting: give.isWaiting, firstCard: give.firstCard))
        case .redeem(let redeem):
            .redeem(Redeem(secret: redeem.secret, shop: campaign(redeeming: redeem.secret).flatMap { place(in: $0) }))
        case .publishCampaign(let publish) where publish.kind != .promotion && chaos.luck(70): shared(publish)
        default: command
        }
    }

    /// The account that sends a command: the given actor, or at times a person who works at the shop that the command names.
    mutating func local(_ actor: AccountID, for command: Command) -> AccountID {
        let shop: ShopID? =
            switch command {
            case .issueCode(let issue): issue.shop
            case .giveStamps(let give): give.issue.shop
            case .redeem(let redeem): redeem.shop
            default: nil
            }
        guard let shop, chaos.luck(30) else { return actor }
        return ledger.crews[shop]?.max() ?? actor
    }

    /// An edit that changes the other shops of a campaign whose owner has several shops. Shops are sorted by id, so that runs are
    /// repeatable.
    mutating func sharing() -> (command: Command, actor: AccountID)? {
        let known = ledger.campaigns.values.filter { $0.kind != .promotion && !others(besides: $0.shop).isEmpty }
        let wanted = known.sorted { $0.campaign < $1.campaign }
        guard !wanted.isEmpty else { return nil }
        let campaign = wanted[chaos.luck(50) ? wanted.count - 1 : 0]
        var changes = CampaignOptionChanges()
        changes.shops = chaos.luck(15) ? .removed : .set(some(of: others(besides: campaign.shop)))
        let actor = chaos.luck(90) ? ledger.owners[campaign.shop] : ledger.crews[campaign.shop]?.max()
        return actor.map { (Sample.edit(campaign.campaign, options: changes), $0) }
    }

    /// The next step of a full card's reward at a shop other than the campaign's own: requested, handed out, or taken back.
    mutating func rewardElsewhere() -> (command: Command, actor: AccountID)? {
        let full = ledger.vouchers.filter { $0.value.milestone == nil }.sorted { $0.key > $1.key }
        let given = full.first { id, voucher in
            voucher.isRedeemed && !voucher.isReversed && voucher.place != ledger.papers[voucher.card]?.shop
        }
        if chaos.luck(40), let given, let actor = given.value.place.flatMap({ ledger.owners[$0] }) {
            return (Sample.reverse(given.key), actor)
        }
        let pending = full.first { id, voucher in
            ledger.papers[voucher.card].map { $0.isFull && $0.requests.last == id && ledger.brand($0.campaign).count > 1 } == true
                && !voucher.isOver && chaos.now < voucher.expiresAt
        }
        if let voucher = pending?.value, let paper = ledger.papers[voucher.card], let owner = ledger.owners[paper.shop] {
            return (.redeem(Redeem(secret: voucher.secret, shop: ledger.brand(paper.campaign)[1])), owner)
        }
        let cards = ledger.papers.filter { $0.value.isFull && ledger.brand($0.value.campaign).count > 1 }
        guard let (card, paper) = cards.max(by: { $0.key < $1.key }) else { return nil }
        return (chaos.request(for: card), paper.holder)
    }

    /// A command of the scheduler about a shop that is offered to another account. At times it moves the clock to the end of the offer, or
    /// to one microsecond before. It picks the smallest ids, so that a seed repeats the history.
    mutating func lapsing() -> (command: Command, actor: AccountID)? {
        guard let (shop, offer) = ledger.transfers.min(by: { $0.key < $1.key }) else { return nil }
        let early: Int64 = chaos.luck(30) ? 1 : 0
        if chaos.luck(30), chaos.now < offer.expiresAt { chaos.jump(to: Instant(microseconds: offer.expiresAt.microseconds - early)) }
        return (Sample.lapseTransfer(shop), .system)
    }

    /// The other shops that belong to this shop's owner.
    private func others(besides shop: ShopID) -> [ShopID] {
        ledger.owners.filter { $0.key != shop && $0.value == ledger.owners[shop] }.map(\.key).sorted()
    }

    /// Returns mostly all of these shops, at times without the first one. Rarely adds a shop that may have another owner.
    private mutating func some(of shops: [ShopID]) -> [ShopID] {
        let strange = chaos.luck(5) ? ledger.owners.keys.min().map { [$0] } ?? [] : []
        return (shops.count > 1 && chaos.luck(30) ? Array(shops.dropFirst()) : shops) + strange
    }

    private mutating func shared(_ publish: PublishCampaign) -> Command {
        let others = others(besides: publish.shop)
        guard !others.isEmpty else { return .publishCampaign(publish) }
        var terms = publish.terms
        terms.options.shops = some(of: others)
        return .publishCampaign(PublishCampaign(campaign: publish.campaign, shop: publish.shop, kind: publish.kind, terms: terms))
    }

    private mutating func placed(_ issue: IssueCode) -> IssueCode {
        guard let shop = place(in: issue.campaign) else { return issue }
        return IssueCode(
            code: issue.code, campaign: issue.campaign, secret: issue.secret, attempt: issue.attempt, stamps: issue.stamps,
            validFor: issue.validFor, shop: shop)
    }

    /// The shop that a command names; mostly nil for a campaign of one shop, because this shop need not be named.
    private mutating func place(in campaign: CampaignID) -> ShopID? {
        let brand = ledger.brand(campaign)
        guard brand.count > 1 else { return chaos.luck(3) ? ledger.owners.keys.min() : nil }
        if chaos.luck(12) { return nil }
        if chaos.luck(5) { return ledger.owners.keys.max() }
        return chaos.luck(60) ? brand[1] : brand[0]
    }

    private func campaign(redeeming secret: Secret) -> CampaignID? {
        let voucher = ledger.vouchers.values.first { $0.secret == secret }
        return voucher.flatMap { ledger.papers[$0.card]?.campaign }
    }
}

extension RandomHistory {
    func owner(of voucher: Ledger.Voucher?) -> AccountID? {
        voucher.flatMap { ledger.papers[$0.card] }.flatMap { ledger.owners[$0.shop] }
    }

    /// Stamps a card for a person who never registers, or returns the taking over of such a card, preferably by an account that collects in
    /// the campaign. It picks the smallest ids, so that a seed repeats the history.
    mutating func takingOver() -> (command: Command, actor: AccountID)? {
        let strangers = AccountID(chaos.base + 9_000)
        let waiting = ledger.papers.filter { $0.value.holder > strangers && ($0.value.isCollecting || $0.value.isFull) }
        guard let (card, paper) = waiting.min(by: { $0.key < $1.key }), chaos.luck(40) else {
            let departed = ledger.departed
            let people = (1...500 as ClosedRange<UInt128>).map { AccountID(strangers.value + $0) }.filter { !departed.contains($0) }
            guard let person = people.dropFirst(chaos.luck(50) ? 1 : 0).first else { return nil }
            return chaos.give(to: person).flatMap { command, campaign in
                ledger.campaigns[campaign].flatMap { ledger.owners[$0.shop] }.map { (command, $0) }
            }
        }
        let collecting = ledger.hands.keys.filter { $0.campaign == paper.campaign && ledger.people.contains($0.holder) }.map(\.holder).min()
        return (.takeWaitingCard(TakeWaitingCard(card: card)), chaos.luck(60) ? collecting ?? chaos.account() : chaos.account())
    }

    /// Reverses the stamps of a used code, at times at the exact moment from which the reversal is too late.
    mutating func reversal() -> Command? {
        let spent = ledger.slips.filter { $0.value.spent && !$0.value.takenBack }
        let code = chaos.chance(50) ? spent.max { $0.key < $1.key } : spent.min { $0.key < $1.key }
        guard let code, let spentAt = code.value.spentAt else { return nil }
        if chaos.chance(5) { chaos.jump(to: spentAt.advanced(bySeconds: 86_400)) }
        guard chaos.chance(60) else { return Sample.takeBack(code.key) }
        // At times more than the code has left, and at times none.
        return Sample.takeBack(code.key, chaos.number(in: (chaos.chance(5) ? 0 : 1)..<(code.value.left ?? code.value.given) + 2))
    }
}
