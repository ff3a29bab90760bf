/// A code as the API shows it.
struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}
