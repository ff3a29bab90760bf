/// A fresh one-time code.
struct CodeBody: Decodable, Sendable {
    let id: String
    let code: String
}
