/// A fresh sign-in.
struct SessionBody: Decodable, Sendable {
    let accessToken: String
    let account: ThingBody
}

/// A code that is on its way; in development mode it is in the answer.
struct VerificationBody: Decodable, Sendable {
    let devCode: String?
}

/// Anything with an id.
struct ThingBody: Decodable, Sendable {
    let id: String
}

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

/// A fresh one-time code.
struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}

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

/// The answer to a stamp.
struct StampBody: Decodable, Sendable {
    let card: CardBody
    let cards: [CardBody]
    let added: Int
}

/// One item of what a search found.
struct FoundBody: Decodable, Sendable {
    let id: String
    /// In metres, where a place was named.
    let distance: Double?
}

/// A page of a list.
struct PageBody<Item: Decodable & Sendable>: Decodable, Sendable {
    let items: [Item]
    let next: String?
}
