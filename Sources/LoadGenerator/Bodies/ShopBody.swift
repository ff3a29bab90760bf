/// A shop's page.
struct ShopBody: Decodable, Sendable {
    struct Rating: Decodable, Sendable {
        let average: Double?
        let count: Int
        let histogram: [Int]
    }

    let id: String
    let rating: Rating
}
