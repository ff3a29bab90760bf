import Loyalty
import Testing

/// Campaigns of several shops: the shops that a campaign may name, and edits of that list.
@Suite struct SharedCampaignTests {
    // MARK: Publishing a shared campaign

    private static func options(_ shops: ShopID...) -> CampaignOptions { CampaignOptions(shops: shops) }

    private func publish(
        _ shops: [ShopID], kind: CampaignKind = .stampCard, by actor: AccountID = Sample.owner, in scenario: Scenario? = nil
    )
        -> Outcome
    {
        let publish = Sample.publish(
            CampaignID(29), kind: kind, goal: kind == .stampCard ? 10 : 0, options: CampaignOptions(shops: shops))
        return (scenario ?? Branch.brand).when(publish, by: actor)
    }

    @Test("An owner shares a campaign among their shops")
    func ownerShares() {
        publish([Branch.shop, Branch.third])
            .then(Sample.published(CampaignID(29), options: Self.options(Branch.shop, Branch.third)))
    }

    @Test("The order in which shops are named does not matter, and the campaign's own shop is dropped")
    func order() {
        publish([Branch.third, Sample.shop, Branch.shop])
            .then(Sample.published(CampaignID(29), options: Self.options(Branch.shop, Branch.third)))
        publish([Sample.shop]).then(Sample.published(CampaignID(29)))
    }

    @Test("A campaign is shared with shops of its owner only", arguments: [Sample.rivalShop, ShopID(99), ShopID(0)])
    func strangers(_ shop: ShopID) {
        func fault(at place: Int) -> Rejection { .invalid([InvalidField(field: "shops/\(place)", fault: .strangeShop)]) }
        publish([shop]).thenRejected(fault(at: 0))
        publish([Branch.shop, Sample.shop, shop]).thenRejected(fault(at: 2))
        publish([shop], by: Sample.stranger).thenRejected(.forbidden)
    }

    @Test("A campaign that names a shop twice is rejected")
    func aShopIsNamedOnce() {
        let fault = Rejection.invalid([InvalidField(field: "shops/1", fault: .repeatedShop)])
        publish([Branch.shop, Branch.shop]).thenRejected(fault)
        publish([Sample.shop, Sample.shop]).thenRejected(fault)
    }

    @Test("A campaign names at most fifty other shops")
    func mostShops() {
        let many = (0..<51).map { ShopID(1_000 + UInt128($0)) }
        publish(many).thenRejected(.invalid([InvalidField(field: "shops", fault: .sharedShops(max: 50))]))
        let most = Branch.brand.given(many.dropFirst().map { Sample.shopOpened($0) })
        publish([Sample.shop] + many.dropFirst(), in: most).thenAccepted()
    }

    @Test("A campaign is not shared with a closed or suspended shop")
    func inactiveShops() {
        publish([Branch.shop], in: Branch.brand.given(Sample.suspended(Branch.shop)))
            .thenRejected(.invalid([InvalidField(field: "shops/0", fault: .suspendedShop)]))
        publish([Branch.shop], in: Branch.brand.given(Branch.closed))
            .thenRejected(.invalid([InvalidField(field: "shops/0", fault: .closedShop)]))
    }

    @Test("A manager shares a campaign with shops that they manage, and with no others")
    func managers() {
        let manager = Branch.brand.given(Sample.became(.manager))
        publish([Branch.shop], by: Sample.staff, in: manager)
            .thenRejected(.invalid([InvalidField(field: "shops/0", fault: .strangeShop)]))
        let counter = manager.employing(Sample.staff, at: Branch.shop)
        publish([Branch.shop], by: Sample.staff, in: counter).thenInvalid("shops/0")
        let both = counter.given(Branch.became(.manager, Sample.staff))
        publish([Branch.shop], by: Sample.staff, in: both).thenAccepted()
    }

    @Test("A promotion cannot be shared, and a coupon campaign can")
    func onlyCardsAreShared() {
        publish([Branch.shop], kind: .promotion).thenRejected(.invalid([InvalidField(field: "shops", fault: .onlyCards)]))
        publish([Branch.shop], kind: .coupon).thenAccepted()
    }

    // MARK: Editing the shops of a campaign

    private func edit(_ shops: Change<[ShopID]>, in scenario: Scenario = Branch.shared, by actor: AccountID = Sample.owner) -> Outcome {
        var changes = CampaignOptionChanges()
        changes.shops = shops
        return scenario.when(
            .editCampaign(EditCampaign(campaign: Sample.campaign, expected: .any, options: changes)), by: actor)
    }

    @Test("An edit adds shops to a campaign and removes them")
    func addAndRemove() {
        edit(.set([Branch.third, Branch.shop])).then(Sample.campaignEdited(options: Self.options(Branch.shop, Branch.third)))
        edit(.removed).then(Sample.campaignEdited())
        edit(.set([])).then(Sample.campaignEdited())
    }

    @Test("An edit that names the same shops as before records nothing")
    func sameShops() {
        edit(.set([Sample.shop, Branch.shop])).thenNothing()
        edit(.unchanged).thenNothing()
    }

    @Test("An edit cannot add another owner's shop, a suspended shop, or a shop twice")
    func editChecks() {
        edit(.set([Branch.shop, Sample.rivalShop])).thenInvalid("shops/1")
        edit(.set([Branch.third]), in: Branch.shared.given(Sample.suspended(Branch.third))).thenInvalid("shops/0")
        edit(.set([Branch.third, Branch.third])).thenInvalid("shops/1")
        edit(.set([Sample.shop, Sample.shop])).thenInvalid("shops/1")
    }

    @Test("A shop that was sold or suspended since does not prevent edits")
    func others() {
        for since in [Branch.sold, Sample.suspended(Branch.shop), Branch.closed] {
            let scenario = Branch.shared.given(since)
            let title = EditCampaign(campaign: Sample.campaign, expected: .any, title: "Twelve cups")
            scenario.when(.editCampaign(title), by: Sample.owner)
                .then(Sample.campaignEdited(title: "Twelve cups", options: Self.options(Branch.shop)))
            edit(.removed, in: scenario).then(Sample.campaignEdited())
            edit(.set([Branch.shop, Branch.third]), in: scenario)
                .then(Sample.campaignEdited(options: Self.options(Branch.shop, Branch.third)))
            edit(.set([Branch.shop, Branch.shop]), in: scenario).thenInvalid("shops/1")
            edit(.set([Branch.shop, Sample.rivalShop]), in: scenario).thenInvalid("shops/1")
            edit(.set([Branch.shop, Branch.third]), in: scenario.given(Sample.campaignEdited())).thenInvalid("shops/0")
        }
    }
}

/// A second and a third shop of the owner, and a campaign of the first shop that the second shop shares.
enum Branch {
    static let shop = ShopID(12)
    static let third = ShopID(13)
    /// An account that works at the second shop.
    static let clerk = AccountID(6)

    static let brand = Scenario.running
        .given(Sample.registered(clerk), Sample.shopOpened(shop), Sample.shopOpened(third))
        .employing(clerk, at: shop)
    static let shared = brand.given(Sample.campaignEdited(options: CampaignOptions(shops: [shop])))

    static let sold = LoyaltyEvent.shopTransferred(
        ShopTransferred(invitation: Sample.invitation, shop: shop, account: Sample.rival, formerOwner: Sample.owner))
    static let closed = LoyaltyEvent.shopClosed(
        ShopClosed(shop: shop, redeemUntil: Sample.afterDays(20), erasesContact: false))

    static func became(_ role: Role, _ account: AccountID) -> LoyaltyEvent {
        .roleChanged(RoleChanged(shop: shop, account: account, invitation: nil, role: role))
    }

    static func issued(_ code: CodeID = Sample.code, stamps: Int = 1) -> LoyaltyEvent {
        .codeIssued(
            CodeIssued(
                code: code, campaign: Sample.campaign, shop: shop, home: Sample.shop, secret: Secret(code.value), attempt: 0,
                stamps: stamps, expiresAt: Sample.after(600)))
    }

    static func opened(_ card: CardID = Sample.card) -> LoyaltyEvent {
        .cardOpened(
            CardOpened(
                card: card, campaign: Sample.campaign, shop: shop, home: Sample.shop, holder: Sample.customer, goal: 10,
                reward: "The eleventh"))
    }

    static func stamped(_ stamps: Int = 1, with code: CodeID = Sample.code, worth: Int? = nil) -> LoyaltyEvent {
        .cardStamped(
            CardStamped(
                card: Sample.card, code: code, campaign: Sample.campaign, shop: shop, home: Sample.shop, holder: Sample.customer,
                stamps: stamps, worth: worth))
    }

    static let redeemed = LoyaltyEvent.cardRedeemed(
        CardRedeemed(
            redemption: Sample.redemption, card: Sample.card, campaign: Sample.campaign, shop: shop, home: Sample.shop,
            holder: Sample.customer))
}
