import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec

/// The campaign and shop of a card in lists, so that a page of cards needs one request. Lists have objects in `campaign` and `shop`; all
/// other answers have ids there, which clients of API version 1 read.
struct CardOrigin {
    let campaign: Campaign
    let shop: Shop
    /// The other shops where the campaign's cards are stamped and redeemed.
    let shops: [ShopID]

    func write(to json: inout JSONWriter) {
        json.object("campaign") {
            $0.field("id", campaign.id)
            $0.field("title", campaign.title.open ?? "")
            $0.field("reward", campaign.reward.open ?? "")
            $0.field("endsAt", min(campaign.endsAt, campaign.endedAt ?? campaign.endsAt))
        }
        json.object("shop") {
            $0.field("id", shop.id)
            $0.field("name", shop.name)
            if let image = shop.images.first { $0.field("image", image) } else { $0.null("image") }
        }
    }
}

extension Resources {
    /// Cards for lists, with campaigns and shops as of a position. Each campaign and each shop is read once.
    func listed(_ cards: [Card], through position: Position, at now: Instant) throws -> [CardAnswer] {
        var origins: [CampaignID: CardOrigin] = [:]
        let known = knownShops(through: position)
        return try cards.map { card in
            let origin = try origins[card.campaign] ?? origin(of: card, known, through: position)
            origins[card.campaign] = origin
            return CardAnswer(
                card: try service.opened(card).aged(to: now), now: now, withHistory: false, origin: origin, shops: origin.shops)
        }
    }

    private func origin(of card: Card, _ known: KnownShops, through position: Position) throws -> CardOrigin {
        let campaign = try existing(through: position) { try $0.campaign(card.campaign) }
        let shop = try known.shop(card.shop)
        return CardOrigin(campaign: try service.opened(campaign, of: shop), shop: shop, shops: try known.idsSharing(campaign))
    }
}
