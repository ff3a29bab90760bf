/// `POST /stamps`
struct StampRequest: Decodable {
    /// As it was typed.
    let code: String
    /// Where given, the code must be of this campaign.
    let campaign: String?
}
