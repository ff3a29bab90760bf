/// `POST /campaigns/{id}/codes`; every field may be left out, and so may the body.
struct CodeRequest: Decodable {
    let stamps: Int?
    /// Seconds.
    let validFor: Int?
}
