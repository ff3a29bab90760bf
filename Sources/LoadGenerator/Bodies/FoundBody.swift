/// One item of what a search found.
struct FoundBody: Decodable, Sendable {
    let id: String
    /// In metres, where a place was named.
    let distance: Double?
}
