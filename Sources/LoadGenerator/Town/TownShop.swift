/// A shop with one campaign, and the token of its owner.
struct TownShop: Sendable {
    let id: String
    let owner: String
    let campaign: String
    let goal: Int
    let latitude: Double
    let longitude: Double
}
