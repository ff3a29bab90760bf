import Loyalty
import World

/// Steps about campaigns of several shops, and commands at shops other than the campaign's own.
extension Mischief {
    /// Returns the command, changed to name one of the campaign's shops if the campaign has several.
    mutating func placed(_ command: Command, in world: World) -> Command {
        switch command {
        case .issueCode(let issue): .issueCode(placed(issue, in: world))
        case .giveStamps(let give):
            .giveStamps(
                GiveStamps(
                    issue: placed(give.issue, in: world), holder: give.holder, isWaiting: give.isWaiting, firstCard: give.firstCard))
        case .stampPaper(let stamp):
            .stampPaper(StampPaper(issue: placed(stamp.issue, in: world), paper: stamp.paper, firstCard: stamp.firstCard))
        case .redeem(let redeem):
            .redeem(
                Redeem(
                    secret: redeem.secret,
                    shop: world.redemption(secret: redeem.secret).flatMap { place(in: $0.campaign, of: world) }))
        default: command
        }
    }

    private mutating func placed(_ issue: IssueCode, in world: World) -> IssueCode {
        guard let shop = place(in: issue.campaign, of: world) else { return issue }
        return IssueCode(
            code: issue.code, campaign: issue.campaign, secret: issue.secret, attempt: issue.attempt, stamps: issue.stamps,
            validFor: issue.validFor, shop: shop)
    }

    /// Returns the shop that a command must name. Returns nil for a campaign of one shop, and sometimes also for a campaign of several
    /// shops.
    mutating func place(in campaign: CampaignID, of world: World) -> ShopID? {
        guard let known = world.campaigns[campaign], let other = elsewhere(known, in: world) else { return nil }
        return chance(5) ? nil : chance(60) ? other : known.shop
    }

    /// Returns the first shop, other than the campaign's own, that takes part in the campaign.
    private func elsewhere(_ campaign: Campaign, in world: World) -> ShopID? {
        guard let home = open(campaign.shop, in: world) else { return nil }
        return campaign.options.shops.first { open($0, in: world)?.owner == home.owner }
    }

    /// Shares a campaign among all shops of an owner who has several.
    func share(in world: World) -> Step? {
        for campaign in world.campaigns.values.sorted(by: { $0.id < $1.id }) {
            guard let home = open(campaign.shop, in: world), elsewhere(campaign, in: world) == nil, campaign.endedAt == nil else {
                continue
            }
            let others = world.shops.values.filter { $0.id != home.id && $0.owner == home.owner && open($0.id, in: world) != nil }
            guard !others.isEmpty else { continue }
            var options = CampaignOptionChanges()
            options.shops = .set(others.map(\.id).sorted())
            return step(.editCampaign(EditCampaign(campaign: campaign.id, expected: .any, options: options)), by: home.owner)
        }
        return nil
    }

    /// Requests a full card's reward, which the next command hands out at another shop than the campaign's own. If such a reward was handed
    /// out before, reverses its redemption instead.
    mutating func redeemElsewhere(in world: World) -> Step? {
        let given = world.redemptions.values.filter { $0.milestone == nil && $0.isRedeemed && !$0.isReversed && $0.redeemedBy != $0.shop }
        if let redemption = given.max(by: { $0.id < $1.id }), let shop = open(redemption.shop, in: world) {
            return step(.reverseRedemption(ReverseRedemption(redemption: redemption.id, reason: "Wrong card")), by: shop.owner)
        }
        for card in world.cards.values.sorted(by: { $0.id > $1.id }) where card.status(at: now) == .full {
            guard let campaign = world.campaigns[card.campaign], let other = elsewhere(campaign, in: world),
                world.account(card.holder)?.isSuspended == false, let owner = world.shops[campaign.shop]?.owner
            else { continue }
            let id = name()
            following = (.redeem(Redeem(secret: Secret(id), shop: other)), owner)
            let request = RequestRedemption(redemption: RedemptionID(id), card: card.id, secret: Secret(id), attempt: 0)
            return step(.requestRedemption(request), by: card.holder)
        }
        return nil
    }

    /// Takes back the newest stamps that a shop other than the campaign's own gave.
    func takeBackElsewhere(in world: World) -> Step? {
        for code in Self.down(from: issued, 60).compactMap({ world.codes[CodeID($0)] }) where code.isUsed && !code.isReversed {
            guard let campaign = world.campaigns[code.campaign], campaign.shop != code.shop, let shop = open(code.shop, in: world) else {
                continue
            }
            return step(.reverseStamp(ReverseStamp(code: code.id, reason: "Refunded")), by: shop.owner)
        }
        return nil
    }

    /// Stamps a paper card at a shop other than the campaign's own. The next command reverses this stamp.
    mutating func paperElsewhere(in world: World) -> Step? {
        for print in world.prints.values.sorted(by: { $0.id < $1.id }) {
            guard let campaign = world.campaigns[print.campaign], campaign.isRunning(at: now), let other = elsewhere(campaign, in: world),
                let owner = world.shops[campaign.shop]?.owner
            else { continue }
            let papers = (0..<print.count).map { PaperName(print: print.id, number: $0) }
            guard let paper = papers.last(where: { world.papers[$0.id]?.holder == nil }) else { continue }
            let id = nextCode()
            let issue = IssueCode(
                code: CodeID(id), campaign: campaign.id, secret: Secret(id), attempt: 0, stamps: 1, validFor: 1, shop: other)
            following = (.reverseStamp(ReverseStamp(code: CodeID(id), reason: "Wrong paper")), owner)
            return step(.stampPaper(StampPaper(issue: issue, paper: paper, firstCard: CardID(id * 100))), by: owner)
        }
        return nil
    }
}
