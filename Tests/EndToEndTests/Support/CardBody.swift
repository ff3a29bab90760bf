/// A card as the API shows it.
struct CardBody: Decodable {
    let id: String
    let status: String
    let stamps: Int
}
