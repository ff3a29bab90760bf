/// `POST /shops`
struct ShopRequest: Decodable {
    let name: String
    let phone: String
    let address: String
    let location: CoordinateRequest
    let images: [String]?
}
