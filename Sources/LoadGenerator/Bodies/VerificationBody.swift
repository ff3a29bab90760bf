/// A code that is on its way; in development mode it is in the answer.
struct VerificationBody: Decodable, Sendable {
    let devCode: String?
}
