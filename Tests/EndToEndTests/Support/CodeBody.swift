/// A code as the API returns it.
struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}
