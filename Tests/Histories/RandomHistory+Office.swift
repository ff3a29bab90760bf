import Loyalty

/// What owners and operators do beside the counter: edits, staff, reversals, adjustments, suspensions.
extension RandomHistory {
    mutating func office() {
        // Nothing is collected at a suspended shop, so it does not stay so for long.
        if let closed = shops.first(where: { world.shops[$0]?.isSuspended == true }) {
            run(.reinstateShop(ReinstateShop(shop: closed, reason: "")), by: owners[0])
        }
        let index = Int.random(in: shops.indices, using: &random)
        let (shop, owner) = (shops[index], owners[index])
        switch Int.random(in: 0..<10, using: &random) {
        case 0: editShop(shop, by: owner)
        case 1, 2: editCampaign()
        case 3: run(.addStaff(AddStaff(shop: shop, account: customers.randomElement(using: &random)!)), by: owner)
        case 4: dismiss(from: shop, by: owner)
        case 5: run(.suspendShop(SuspendShop(shop: shop, reason: "Sells stamps")), by: owners[0])
        case 6, 7: reverse()
        default: adjust()
        }
    }

    private mutating func editShop(_ shop: ShopID, by owner: AccountID) {
        let images = (0..<Int.random(in: 0..<4, using: &random)).map { _ in ImageID(id()) }
        run(.editShop(EditShop(shop: shop, expected: .any, name: "茶 \(facts.count)", images: images)), by: owner)
    }

    private mutating func editCampaign() {
        let campaign = campaigns.randomElement(using: &random)!
        guard let owner = world.campaigns[campaign].flatMap({ world.shops[$0.shop]?.owner }) else { return }
        let isCapped = Int.random(in: 0..<4, using: &random) == 0
        let edit = EditCampaign(
            campaign: campaign, expected: .any, goal: Int.random(in: 2...10, using: &random), image: .set(ImageID(id())),
            stampsPerDayMax: isCapped ? .set(10) : .removed, minimumGapSeconds: isCapped ? .set(60) : .removed)
        run(.editCampaign(edit), by: owner)
    }

    private mutating func dismiss(from shop: ShopID, by owner: AccountID) {
        guard let member = world.shops[shop]?.staff.sorted().randomElement(using: &random) else { return }
        run(.removeStaff(RemoveStaff(shop: shop, account: member)), by: owner)
    }

    private mutating func reverse() {
        let redeemed = world.redemptions.values.filter { $0.isRedeemed && !$0.isReversed }.sorted { $0.id < $1.id }
        guard let redemption = redeemed.randomElement(using: &random), let owner = world.shops[redemption.shop]?.owner else { return }
        run(.reverseRedemption(ReverseRedemption(redemption: redemption.id, reason: "Wrong card")), by: owner)
    }

    private mutating func adjust() {
        guard let card = world.cards.values.sorted(by: { $0.id < $1.id }).randomElement(using: &random) else { return }
        let stamps = Int.random(in: -2...2, using: &random)
        run(.adjustCard(AdjustCard(card: card.id, expected: .any, stamps: stamps, reason: "Miscounted")), by: owners[0])
    }
}
