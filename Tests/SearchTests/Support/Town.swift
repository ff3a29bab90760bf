import Loyalty

/// Shops, campaigns and favourites as facts in order, and as plain lists to compare with.
struct Town {
    struct Shop {
        let id: ShopID
        let position: UInt64
        let name: String
        let address: String
        let place: Coordinate
        /// Each account's ratings that were not removed, oldest first.
        var ratings: [AccountID: [(review: ReviewID, stars: Int)]] = [:]

        /// The mean in ten-thousandths of a star, rounded down; 0 without ratings.
        var mean: Int {
            let latest = ratings.values.compactMap { $0.last?.stars }
            return latest.isEmpty ? 0 : latest.reduce(0, +) * 10_000 / latest.count
        }
    }

    struct Campaign {
        let id: CampaignID
        let position: UInt64
        let shop: Int
        let kind: CampaignKind
        let title: String
        let startsAt: Instant
        let endsAt: Instant
        var isEnded = false
        var keepers: Set<AccountID> = []
    }

    static let owner = AccountID(1)
    static let now = Instant(microseconds: 1_700_000_000_000_000)

    private(set) var facts: [Fact] = []
    private(set) var shops: [Shop] = []
    private(set) var campaigns: [Campaign] = []
    /// The number of facts that `news` has returned.
    private var told = 0

    private mutating func happen(_ event: LoyaltyEvent) -> UInt64 {
        let position = UInt64(facts.count) + 1
        facts.append(Fact(position: position, time: Self.now, actor: Self.owner, event: event))
        return position
    }

    /// Returns the facts that were added since the last call.
    mutating func news() -> ArraySlice<Fact> {
        defer { told = facts.count }
        return facts[told...]
    }

    @discardableResult
    mutating func open(
        _ name: String, address: String = "", at place: Coordinate, schedule: ShopSchedule = ShopSchedule()
    ) -> Int {
        let id = ShopID(UInt128(1_000_000 + shops.count))
        let contact = ShopContact(name: name, phone: "110", address: address, location: place)
        let position = happen(.shopOpened(ShopOpened(shop: id, owner: Self.owner, contact: .clear(contact), schedule: schedule)))
        shops.append(Shop(id: id, position: position, name: name, address: address, place: place))
        return shops.count - 1
    }

    @discardableResult
    mutating func publish(
        _ title: String, at shop: Int, kind: CampaignKind = .stampCard, startsIn: Int64 = -60, seconds: Int64 = 3_600, others: [Int] = []
    ) -> Int {
        let id = CampaignID(UInt128(2_000_000 + campaigns.count))
        let starts = Self.now.advanced(bySeconds: startsIn)
        let ends = starts.advanced(bySeconds: seconds)
        let event = CampaignPublished(
            campaign: id, shop: shops[shop].id, kind: kind,
            terms: CampaignTerms(
                title: .clear(title), details: "", goal: kind == .stampCard ? 10 : 0, reward: "", startsAt: starts, endsAt: ends,
                options: CampaignOptions(shops: others.map { shops[$0].id }.sorted())))
        let position = happen(.campaignPublished(event))
        campaigns.append(
            Campaign(id: id, position: position, shop: shop, kind: kind, title: title, startsAt: starts, endsAt: ends))
        return campaigns.count - 1
    }

    mutating func end(_ campaign: Int) {
        _ = happen(.campaignEnded(CampaignEnded(campaign: campaigns[campaign].id, shop: shops[campaigns[campaign].shop].id)))
        campaigns[campaign].isEnded = true
    }

    /// Shares a campaign with these other shops. Other shops that it named before no longer share it.
    mutating func share(_ campaign: Int, with others: [Int]) {
        let known = campaigns[campaign]
        let terms = CampaignTerms(
            title: TypedText.clear(known.title), details: "", goal: known.kind == .stampCard ? 10 : 0, reward: "", startsAt: known.startsAt,
            endsAt: known.endsAt, options: CampaignOptions(shops: others.map { shops[$0].id }.sorted()))
        _ = happen(.campaignEdited(CampaignEdited(campaign: known.id, shop: shops[known.shop].id, terms: terms)))
    }

    mutating func suspend(_ shop: Int) { _ = happen(.shopSuspended(ShopSuspended(shop: shops[shop].id, reason: "Spam"))) }

    mutating func reinstate(_ shop: Int) { _ = happen(.shopReinstated(ShopReinstated(shop: shops[shop].id, reason: "Sorry"))) }

    mutating func close(_ shop: Int) {
        _ = happen(.shopClosed(ShopClosed(shop: shops[shop].id, redeemUntil: Self.now, erasesContact: false)))
    }

    mutating func sell(_ shop: Int, to account: AccountID) {
        let sale = ShopTransferred(invitation: InvitationID(1), shop: shops[shop].id, account: account, formerOwner: Self.owner)
        _ = happen(.shopTransferred(sale))
    }

    /// Erases an account, and with it its favourites.
    mutating func erase(_ account: AccountID) {
        _ = happen(.accountErased(AccountErased(account: account)))
        for number in campaigns.indices { campaigns[number].keepers.remove(account) }
    }

    mutating func change(_ schedule: ShopSchedule, of shop: Int) {
        let known = shops[shop]
        let contact = ShopContact(name: known.name, phone: "110", address: known.address, location: known.place)
        _ = happen(.shopEdited(ShopEdited(shop: known.id, contact: .clear(contact), images: [], schedule: schedule)))
    }

    mutating func rate(_ shop: Int, _ stars: Int, by account: AccountID) {
        let review = ReviewID(UInt128(3_000_000 + facts.count))
        _ = happen(.reviewPosted(ReviewPosted(review: review, shop: shops[shop].id, author: account, rating: stars)))
        shops[shop].ratings[account, default: []].append((review, stars))
    }

    /// Removes one of the account's ratings of the shop, if it has any.
    mutating func unrate(_ shop: Int, by account: AccountID, at place: Int) {
        guard let ratings = shops[shop].ratings[account], ratings.indices.contains(place) else { return }
        let review = ratings[place].review
        _ = happen(
            .reviewRemoved(ReviewRemoved(review: review, thread: review, shop: shops[shop].id, author: account, byOperator: false)))
        shops[shop].ratings[account]?.remove(at: place)
    }

    /// Adds the campaign to the account's favourites, or removes it.
    mutating func toggle(_ campaign: Int, by account: AccountID) {
        let id = campaigns[campaign].id
        if campaigns[campaign].keepers.remove(account) != nil {
            _ = happen(.favoriteRemoved(FavoriteRemoved(account: account, campaign: id)))
        } else {
            campaigns[campaign].keepers.insert(account)
            _ = happen(.favoriteAdded(FavoriteAdded(account: account, campaign: id)))
        }
    }
}
