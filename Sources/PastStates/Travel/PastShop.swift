internal import Loyalty
internal import LoyaltyCodec
public import ReadModels

/// A shop and its campaigns, computed from the events with the shop's tag.
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
            .ids("images", shop.images), PastField("color", shop.look.color.map { .word($0.name) } ?? .none),
            PastField("logo", shop.look.logo.map { .word($0.text) } ?? .none), .id("owner", shop.owner),
            .ids("staff", shop.staff.sorted()), .ids("managers", shop.members.filter { $0.value.role == .manager }.keys.sorted()),
            PastField("suspended", .flag(shop.isSuspended)), .time("opened", shop.openedAt),
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

/// The days of a statistics query. If the first or the last day is missing, it is computed from the other day and from the moment of the
/// query, in the same way as in the service's reports.
public struct PastDays: Hashable, Sendable {
    private static let daysDefault = 30
    /// The maximum number of days in a statistics query, as in the service's reports.
    public static let daysMax = 367

    let from: Int?
    let to: Int?
    let zone: ReportZone

    /// Creates a range of days, both ends included. A day is given as the number of days since 1970-01-01.
    ///
    /// - Returns: nil if the last day is before the first, or there are too many days.
    public init?(from: Int?, to: Int?, zone: ReportZone) {
        (self.from, self.to, self.zone) = (from, to, zone)
        if let from, let to, from > to || to - from >= Self.daysMax { return nil }
    }

    func period(at clock: Instant) -> ReportPeriod {
        let today = zone.day(of: clock)
        let last = to ?? from.map { min($0 + Self.daysDefault - 1, max($0, today)) } ?? today
        let first = from ?? last - Self.daysDefault + 1
        return zone.period(first...last)
    }
}

extension ShopReport {
    /// Returns one row for each day, and one row for all days together.
    func pastRows(_ zone: ReportZone) -> [[PastField]] {
        let days = days.map { day -> [PastField] in
            [
                PastField("day", .word(FullDate.text(day.day))), .number("codes", day.codes), .number("stamps", day.stamps),
                .number("newCards", day.newCards), .number("activeCustomers", day.activeCustomers),
                .number("redemptions", day.redemptions), .number("reversals", day.reversals),
            ]
        }
        return days + [total(zone)]
    }

    private func total(_ zone: ReportZone) -> [PastField] {
        let ends = [("from", days.first), ("to", days.last)].compactMap { name, day in
            day.map { PastField(name, .word(FullDate.text($0.day))) }
        }
        return ends + [
            PastField("timeZone", .word(zone.name)), .number("codes", codes), .number("stamps", stamps), .number("newCards", newCards),
            .number("activeCustomers", activeCustomers), .number("returningCustomers", returningCustomers),
            .number("filled", filled), .number("redemptions", redemptions), .number("reversals", reversals),
        ]
    }
}
