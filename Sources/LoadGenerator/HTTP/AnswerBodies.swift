struct SessionBody: Decodable, Sendable {
    let accessToken: String
    let account: ThingBody
}

/// The code is only there in development.
struct VerificationBody: Decodable, Sendable {
    let devCode: String?
}

/// An answer of which only the id is needed.
struct ThingBody: Decodable, Sendable {
    let id: String
}

struct ShopBody: Decodable, Sendable {
    struct Rating: Decodable, Sendable {
        let average: Double?
        let count: Int
        let histogram: [Int]
    }

    let id: String
    let rating: Rating
}

struct StatisticsBody: Decodable, Sendable {
    let totals: PlaceSums
}

struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}

/// The checked fields of a card.
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
    /// Nil in lists.
    var history: [Entry]?
}

struct StampBody: Decodable, Sendable {
    let card: CardBody
    let cards: [CardBody]
    let added: Int
}

/// The answer when staff stamp a paper card, or a customer takes it. ``cards`` received the stamps; while nobody has the card, it is empty,
/// and ``paper`` has the stamps.
struct GivenBody: Decodable, Sendable {
    struct Waiting: Decodable, Sendable {
        let stamps: Int
        let goal: Int
    }

    let cards: [CardBody]
    let paper: Waiting?
    let added: Int
}

struct PrintBody: Decodable, Sendable {
    struct Printed: Decodable, Sendable {
        let code: String
    }

    let cards: [Printed]
}

struct FoundBody: Decodable, Sendable {
    let id: String
    /// Metres; nil if the search had no place.
    let distance: Double?
}

struct PageBody<Item: Decodable & Sendable>: Decodable, Sendable {
    let items: [Item]
    let next: String?
}
