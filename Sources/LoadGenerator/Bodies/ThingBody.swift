/// Anything with an id.
struct ThingBody: Decodable, Sendable {
    let id: String
}
