/// The id in an answer about an object. Every such answer has one.
struct Thing: Decodable {
    let id: String
}
