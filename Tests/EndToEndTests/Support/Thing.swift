/// The part that every answer about a thing has.
struct Thing: Decodable {
    let id: String
}
