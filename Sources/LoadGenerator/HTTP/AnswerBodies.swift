/// The answer to a sign-in: a new session.
struct SessionBody: Decodable, Sendable {
    let accessToken: String
    let account: ThingBody
}

/// The answer to the request for a sign-in code. A server in development mode puts the code into it.
struct VerificationBody: Decodable, Sendable {
    let devCode: String?
}

/// An answer about one object, of which only the id is needed. Every such answer has an id.
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

/// A shop's statistics.
struct StatisticsBody: Decodable, Sendable {
    struct Totals: Decodable, Sendable {
        let codes: Int
        let stamps: Int
        let redemptions: Int
    }

    let totals: Totals
}

/// The answer to a request that issues a one-time code.
struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}

/// A card in an answer, with only those fields that the load generator checks.
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
    /// The card's history; nil in answers that leave it out, such as lists.
    var history: [Entry]?
}

/// The answer to a request that enters a stamp code, or in which the counter stamps a paper card that is in a customer's account.
struct StampBody: Decodable, Sendable {
    let card: CardBody
    let cards: [CardBody]
    let added: Int
}

/// The answer when staff stamp a paper card, or when a customer adds a paper card to their account. ``cards`` are the customer's cards that
/// received the stamps. As long as the paper card is in nobody's account, ``cards`` is empty, and ``paper`` has the number of stamps on the
/// paper card.
struct GivenBody: Decodable, Sendable {
    struct Waiting: Decodable, Sendable {
        let stamps: Int
        let goal: Int
    }

    let cards: [CardBody]
    let paper: Waiting?
    let added: Int
}

/// The answer to a request that prints cards on paper.
struct PrintBody: Decodable, Sendable {
    struct Printed: Decodable, Sendable {
        let code: String
    }

    let cards: [Printed]
}

/// One item of a search result.
struct FoundBody: Decodable, Sendable {
    let id: String
    /// The distance in metres; nil if the search had no place.
    let distance: Double?
}

/// A page of a list.
struct PageBody<Item: Decodable & Sendable>: Decodable, Sendable {
    let items: [Item]
    let next: String?
}
