internal import Loyalty
internal import LoyaltyCodec

/// A shop and its campaigns, folded from what names them.
struct PastShop {
    private let id: ShopID
    private(set) var shop: Shop?
    private var campaigns: [Campaign] = []

    init(_ id: ShopID) { self.id = id }

    mutating func apply(_ fact: Fact) {
        if let opened = Shop(opening: fact), opened.id == id { shop = opened } else { shop?.evolve(fact) }
        if let published = Campaign(opening: fact) { return campaigns.append(published) }
        for place in campaigns.indices { campaigns[place].evolve(fact) }
    }

    func fields(at clock: Instant, _ rating: PastRating) -> [PastField]? {
        guard let shop else { return nil }
        return [
            .id("shop", shop.id)
        ] + Self.contact(of: shop) + [
            .ids("images", shop.images), .id("owner", shop.owner),
            .ids("staff", shop.staff.sorted()), PastField("suspended", .flag(shop.isSuspended)), .time("opened", shop.openedAt),
            .number("version", Int(clamping: shop.version)), PastField("rating", .record(rating.fields)),
            PastField("campaigns", .list(campaigns.map { .record(Self.summary($0, clock)) })),
        ] + (shop.closing.map { [.time("closed", $0.closedAt), .time("redeemUntil", $0.redeemUntil)] } ?? [])
    }

    private static func contact(of shop: Shop) -> [PastField] {
        guard let contact = shop.contact.open else {
            let isSealed = shop.contact != .erased
            return ["name", "phone", "address", "latitude", "longitude"].map { .sealed($0, isSealed) }
        }
        return [
            PastField("name", .text(contact.name)), PastField("phone", .text(contact.phone)), PastField("address", .text(contact.address)),
            PastField("latitude", .decimal(contact.location.latitude)), PastField("longitude", .decimal(contact.location.longitude)),
        ]
    }

    private static func summary(_ campaign: Campaign, _ clock: Instant) -> [PastField] {
        [
            .id("campaign", campaign.id), PastField("kind", .word("\(campaign.kind)")), .typed("title", campaign.title),
            .number("goal", campaign.goal), PastField("running", .flag(campaign.isRunning(at: clock))),
        ]
    }
}
