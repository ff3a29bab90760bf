import Loyalty
import World

/// A long history consists of towns, each with its own people and shops, one after another. When a third town begins, the world and the
/// ledger drop everything of the first town, so that both stay small. The first town is recognized by its numbers: its shops, campaigns,
/// people, sessions and offers have numbers below `bound`.
extension World {
    mutating func dropTowns(below bound: UInt128) {
        accounts = accounts.filter { $0.key.value >= bound }
        accountsByPhone = accountsByPhone.filter { $0.value.value >= bound }
        sessions = sessions.filter { $0.key.value >= bound }
        shops = shops.filter { $0.key.value >= bound }
        shopsByOwner = shopsByOwner.filter { $0.key.value >= bound }
        campaigns = campaigns.filter { $0.key.value >= bound }
        campaignsByShop = campaignsByShop.filter { $0.key.value >= bound }
        invitations = invitations.filter { $0.key.value >= bound }
        favorites = favorites.filter { $0.account.value >= bound && $0.campaign.value >= bound }
        mutes = mutes.filter { $0.account.value >= bound && $0.shop.value >= bound }
        searches = searches.filter { $0.value.account.value >= bound }
        labels = labels.filter { $0.key.account.value >= bound && $0.key.shop.value >= bound }
        dropCards(below: bound)
        reviews = reviews.filter { $0.value.shop.value >= bound }
        notices = notices.filter { Self.stays(shop: $0.value.audience.shop, author: $0.value.author, bound) }
        noticesRead = noticesRead.filter { notices[$0.notice] != nil && $0.account.value >= bound }
    }

    private mutating func dropCards(below bound: UInt128) {
        codes = codes.filter { $0.value.shop.value >= bound }
        codesBySecret = codesBySecret.filter { codes[$0.value] != nil }
        usesByCode = usesByCode.filter { codes[$0.key] != nil }
        cards = cards.filter { $0.value.shop.value >= bound }
        replacements = replacements.filter { cards[$0.key] != nil }
        redemptions = redemptions.filter { $0.value.shop.value >= bound }
        redemptionsBySecret = redemptionsBySecret.filter { redemptions[$0.value] != nil }
        collecting = collecting.filter { $0.key.campaign.value >= bound }
        gains = gains.filter { $0.key.campaign.value >= bound }
        tallies = tallies.filter { $0.key.campaign.value >= bound }
    }

    /// A notice is dropped together with its shop. A notice without a shop is dropped together with its author.
    fileprivate static func stays(shop: ShopID?, author: AccountID, _ bound: UInt128) -> Bool { shop?.value ?? author.value >= bound }
}

extension Ledger {
    mutating func dropTowns(below bound: UInt128) {
        people = people.filter { $0.value >= bound }
        suspended = suspended.filter { $0.value >= bound }
        phones = phones.filter { $0.value.value >= bound }
        families = families.filter { $0.key.value >= bound }
        owners = owners.filter { $0.key.value >= bound }
        crews = crews.filter { $0.key.value >= bound }
        managers = managers.filter { $0.key.value >= bound }
        closed = closed.filter { $0.value >= bound }
        closings = closings.filter { $0.key.value >= bound }
        offers = offers.filter { $0.key.value >= bound }
        transfers = transfers.filter { $0.key.value >= bound }
        invited = invited.filter { $0.key.value >= bound }
        mutes = mutes.filter { $0.account.value >= bound && $0.shop.value >= bound }
        favorites = favorites.filter { $0.account.value >= bound && $0.campaign.value >= bound }
        interests = interests.filter { $0.value.account.value >= bound }
        everSaved = everSaved.filter { interests[$0] != nil }
        publications = publications.filter { $0.key.value >= bound }
        dropCards(below: bound)
        threads = threads.filter { $0.value.value >= bound }
        depths = depths.filter { threads[$0.key] != nil }
        authors = authors.filter { threads[$0.key] != nil }
        removed = removed.filter { threads[$0] != nil }
        speakers = speakers.filter { World.stays(shop: $0.value.shop, author: $0.value.author, bound) }
        notices = notices.filter { speakers[$0] != nil }
        scheduled = scheduled.filter { speakers[$0.key] != nil }
        readings = readings.filter { speakers[$0.notice] != nil && $0.account.value >= bound }
    }

    private mutating func dropCards(below bound: UInt128) {
        campaigns = campaigns.filter { $0.key.value >= bound }
        endedCampaigns = endedCampaigns.filter { $0.value >= bound }
        endings = endings.filter { $0.key.value >= bound }
        slips = slips.filter { $0.value.shop.value >= bound }
        papers = papers.filter { $0.value.shop.value >= bound }
        moves = moves.filter { papers[$0.key] != nil }
        stays = stays.filter { papers[$0.key] != nil }
        hands = hands.filter { $0.key.campaign.value >= bound }
        vouchers = vouchers.filter { papers[$0.value.card] != nil }
        must(
            papers.values.allSatisfy { people.contains($0.holder) || $0.holder.value >= bound }, "nobody who leaves holds a card that stays"
        )
    }
}
