import CommandService
import Composition
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels

/// The list of a shop's customers, for its managers.
struct CustomerRoutes: RouteGroup {
    let resources: Resources

    var routes: [Route] { [.get("/v1/shops/{id}/customers", customers)] }

    private func customers(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        let id = try context.id(Shop.self)
        try await resources.awaitPosition(of: request, by: bearer.account, in: Customers.name)
        let shop = try resources.existing { try $0.shop(id) }
        try shop.require(.manager, of: bearer.account)
        var reader = QueryReader(request)
        let list = CustomerList(segment: reader.choice("segment"), sort: reader.choice("sort") ?? .lastVisit)
        let text = reader.searchedText()
        try reader.verdict()
        // With an account's id in a cursor, two shops could find out that they have the same customer.
        let name = "customers of \(id.text) \(list.segment?.rawValue ?? "") \(list.sort)"
        let page = try resources.page(PageRequest(request), of: name, hidden: true)
        await resources.service.catchUp(Customers.name)
        let shown = resources.service.models.position(of: Customers.name)
        return try await resources.withSearchSlot(context, if: text != nil) {
            var profiles = CustomerProfiles(of: shop, resources)
            let found = try await find(list, text, at: shop, page, &profiles)
            let items = try await found.customers.mapInTurns { try profiles.answer($0) }
            let answer = page.answer(items, next: found.next?.packed)
            return Response.ok(answer.fields + ["segments": Self.fields(found.counts)]).showing(shown).unstored()
        }
    }

    private typealias Found = (customers: [ShopCustomer], counts: CustomerCounts, next: CustomerPlace?)

    /// With a text, those among the next ``Limits/customersSearched`` whose handle begins with it or whose shown nickname contains it.
    private func find(
        _ list: CustomerList, _ text: String?, at shop: Shop, _ page: ListPage, _ profiles: inout CustomerProfiles
    ) async throws -> Found {
        let today = shop.reportZone.day(of: resources.now)
        let place = page.place.map { CustomerPlace(packed: $0) }
        let looked = try resources.service.models.customers.page(
            of: shop.id, list, today: today, after: place, limit: text == nil ? page.limit : Limits.customersSearched)
        guard let text else { return (looked.customers, looked.counts, looked.next) }
        let matching = try await looked.customers.mapInTurns { try profiles.isNamed($0.account, text) ? $0 : nil }.compactMap(\.self)
        guard matching.count > page.limit else { return (matching, looked.counts, looked.next) }
        return (Array(matching.prefix(page.limit)), looked.counts, matching[page.limit - 1].place)
    }

    private static func fields(_ counts: CustomerCounts) -> JSONFields {
        [
            "all": counts.all, "new": counts.new, "regular": counts.regular, "nearlyFull": counts.nearlyFull, "full": counts.full,
            "lapsed": counts.lapsed,
        ]
    }
}

extension CustomerPlace {
    /// The value, and the first 96 bits of the account's id, whose others are random.
    var packed: UInt128 { UInt128(value) << 96 | account.value >> 32 }

    init(packed: UInt128) {
        self.init(value: UInt32(truncatingIfNeeded: packed >> 96), account: AccountID(packed << 32))
    }
}

/// Customers as their shop sees them.
private struct CustomerProfiles {
    private let shop: Shop
    private let resources: Resources
    private let known: KnownShops
    private var authors: Authors
    private var titles: [CampaignID: String] = [:]

    init(of shop: Shop, _ resources: Resources) {
        (self.shop, self.resources) = (shop, resources)
        (known, authors) = (resources.knownShops(), Authors(at: shop, resources))
    }

    mutating func isNamed(_ account: AccountID, _ text: String) throws -> Bool {
        let (name, text) = (try authors.customer(account), text.lowercased())
        return name.handle.hasPrefix(text) || name.nickname?.lowercased().contains(text) == true
    }

    mutating func answer(_ customer: ShopCustomer) throws -> JSONFields {
        let row = customer.row
        let details = try resources.service.models.customers.details(
            of: customer.account, at: shop.id, cardsMax: Limits.customerCards, visitsMax: Limits.customerVisits)
        let cards = try details.cards.map { card -> JSONFields in
            let campaign: JSONFields = ["id": card.campaign, "title": try title(card.campaign)]
            return ["id": card.id, "campaign": campaign, "stamps": card.stamps, "goal": card.goal, "status": card.status.text]
        }
        return try authors.customer(customer.account).fields + [
            "firstVisit": FullDate.text(row.firstDay), "lastVisit": FullDate.text(row.lastDay), "visits": row.visits,
            "lastVisits": details.visits.map { FullDate.text($0) }, "cards": cards,
        ]
    }

    private mutating func title(_ id: CampaignID) throws -> String {
        if let title = titles[id] { return title }
        let campaign = try resources.existing { try $0.campaign(id) }
        let title = try resources.service.opened(campaign, of: try known.shop(campaign.shop)).title.open ?? ""
        titles[id] = title
        return title
    }
}
