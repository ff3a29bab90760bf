/// `POST /redemptions` and its preview.
struct RedemptionRequest: Decodable {
    /// As it was typed.
    let code: String
}
