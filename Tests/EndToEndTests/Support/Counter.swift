import Foundation

/// A merchant with one shop and one stamp card.
struct Counter {
    let owner: Client
    let shop: String
    let campaign: String

    /// Opens the shop on a server.
    static func open(at server: Server, goal: Int = 10, phone: Int = 0) throws -> Counter {
        let owner = server.client
        try owner.signIn(phone)
        let place = #"{"latitude":31.2,"longitude":121.5}"#
        let shop: Thing = try owner.send(
            "POST", "/v1/shops", json: #"{"name":"绿茶","phone":"+86 21 5555 0100","address":"1 Tea Road","location":\#(place)}"#
        ).read(status: 201)
        let campaign: Thing = try owner.send("POST", "/v1/shops/\(shop.id)/campaigns", json: draft(goal: goal)).read(status: 201)
        return Counter(owner: owner, shop: shop.id, campaign: campaign.id)
    }

    /// Returns the same shop at another server.
    func moved(to server: Server) -> Counter {
        Counter(owner: owner.moved(to: server), shop: shop, campaign: campaign)
    }

    /// Issues a new stamp code.
    func code(by clerk: Client? = nil, stamps: Int = 1) throws -> CodeBody {
        try (clerk ?? owner).send("POST", "/v1/campaigns/\(campaign)/codes", json: #"{"stamps":\#(stamps)}"#).read(status: 201)
    }

    private static func draft(goal: Int) -> String {
        let now = Date()
        let times = [now.addingTimeInterval(-60), now.addingTimeInterval(86_400)].map { $0.formatted(.iso8601) }
        return """
            {"kind":"stampCard","title":"Ten cups","details":"","goal":\(goal),"reward":"The eleventh",
            "startsAt":"\(times[0])","endsAt":"\(times[1])"}
            """
    }
}

extension Client {
    /// Submits a code under an idempotency key.
    func stamp(_ code: String, key: String) throws -> Answer {
        try send("POST", "/v1/stamps", json: #"{"code":"\#(code)"}"#, key: key)
    }

    /// Returns all cards of this customer, page by page.
    func cards() throws -> [CardBody] {
        var (cards, cursor) = ([CardBody](), String?.none)
        repeat {
            let place = cursor.map { "&cursor=\($0)" } ?? ""
            let page: CardPageBody = try send("GET", "/v1/me/cards?status=collecting,full,redeemed&limit=100\(place)").read(status: 200)
            cards += page.items
            cursor = page.next
        } while cursor != nil
        return cards
    }

    /// Returns the number of stamps on all cards of this customer.
    func stamps() throws -> Int { try cards().reduce(0) { $0 + $1.stamps } }
}

private struct CardPageBody: Decodable {
    let items: [CardBody]
    let next: String?
}
