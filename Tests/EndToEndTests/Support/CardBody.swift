/// A card as the API returns it.
struct CardBody: Decodable {
    let id: String
    let status: String
    let stamps: Int
}
