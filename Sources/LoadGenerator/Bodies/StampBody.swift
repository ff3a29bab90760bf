/// The answer to a stamp.
struct StampBody: Decodable, Sendable {
    let card: CardBody
    let cards: [CardBody]
    let added: Int
}
