extension World: Past {
    public typealias Failure = Never

    public func account(_ id: AccountID) -> Account? { accounts[id].flatMap { $0.isErased ? nil : $0 } }
    public func account(phone: Secret) -> Account? { accountsByPhone[phone].flatMap { accounts[$0] } }
    public func session(_ id: SessionID) -> Session? { sessions[id] }
    public func shop(_ id: ShopID) -> Shop? { shops[id] }
    public func shop(ownedBy owner: AccountID) -> Shop? { shopsByOwner[owner].flatMap { shops[$0] } }
    public func employers(of account: AccountID) -> [Shop] {
        shops.values.filter { $0.staff.contains(account) }.sorted { $0.id < $1.id }
    }
    public func campaign(_ id: CampaignID) -> Campaign? { campaigns[id] }
    public func code(_ id: CodeID) -> Code? { codes[id] }
    public func code(secret: Secret) -> Code? { codesBySecret[secret].flatMap { codes[$0] } }
    public func card(_ id: CardID) -> Card? { cards[id] }
    public func redemption(_ id: RedemptionID) -> Redemption? { redemptions[id] }
    public func redemption(secret: Secret) -> Redemption? { redemptionsBySecret[secret].flatMap { redemptions[$0] } }
    public func review(_ id: ReviewID) -> Review? { reviews[id] }
    public func notice(_ id: NoticeID) -> Notice? { notices[id] }
    public func hasRead(_ notice: NoticeID, by account: AccountID) -> Bool {
        noticesRead.contains(NoticeReading(notice: notice, account: account))
    }
    public func has(_ favorite: Favorite) -> Bool { favorites.contains(favorite) }
    public func invitation(_ id: InvitationID) -> Invitation? { invitations[id] }
    public func has(_ mute: Mute) -> Bool { mutes.contains(mute) }

    public func openSessions(of account: AccountID) -> [Session] {
        sessions.values.filter { $0.account == account && !$0.isEnded }.sorted { $0.id < $1.id }.map(\.withoutSpentTokens)
    }

    public func campaigns(of shop: ShopID) -> [Campaign] {
        campaignsByShop[shop, default: []].compactMap { campaigns[$0] }
    }

    public func gains(of holder: AccountID, in campaign: CampaignID) -> StampGains {
        gains[CardSlot(holder: holder, campaign: campaign)] ?? StampGains()
    }

    public func collectingCard(of holder: AccountID, in campaign: CampaignID) -> Card? {
        collecting[CardSlot(holder: holder, campaign: campaign)].flatMap { cards[$0] }
    }
}
