/// The id, which every answer about an object has.
struct Thing: Decodable {
    let id: String
}
