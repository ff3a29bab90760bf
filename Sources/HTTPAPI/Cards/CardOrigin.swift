import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec

/// The campaign and the shop of a card in lists, so that a page of cards needs one request.
///
/// Cards in lists (`GET /me/cards` and `GET /me/changes`) have objects in the fields `campaign` and `shop`. All other answers, such as `GET
/// /cards/{id}` and the `card` of a stamp or a reward, have ids in these two fields. Clients of version 1 of the API read the ids, so these
/// answers must keep them. They do not need the objects, because a client that shows one card has read it from a list before. No answer has
/// both the ids and the objects, because a second pair of field names for the same two things would have to be kept for ever.
struct CardOrigin {
    /// The campaign, with its texts decrypted.
    let campaign: Campaign
    /// The shop, with its contact data decrypted.
    let shop: Shop
    /// The other shops at which the campaign is valid: its cards are stamped and redeemed there.
    let shops: [ShopID]

    /// Writes the fields of the campaign and the shop into a card's object.
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
    /// Cards in the form of lists, in their state at a moment, with their campaigns and shops as of a position. Each campaign and each shop
    /// is read once.
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
