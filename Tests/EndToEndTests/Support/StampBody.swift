/// The answer to a stamp request.
struct StampBody: Decodable {
    let card: CardBody
    let added: Int
    let position: UInt64
}
