/// A card, as far as the oracle looks at it.
struct CardBody: Decodable, Sendable {
    struct Entry: Decodable, Sendable {
        let kind: String
        let stamps: Int
        let position: Int
    }

    let id: String
    let status: String
    let stamps: Int
    let goal: Int
    /// Lists leave it out.
    var history: [Entry]?
}
