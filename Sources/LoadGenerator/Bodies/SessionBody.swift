/// A fresh sign-in.
struct SessionBody: Decodable, Sendable {
    let accessToken: String
    let account: ThingBody
}
