/// `POST /shops/{id}/campaigns`. A promotion has no goal and may have no reward.
struct CampaignRequest: Decodable {
    let kind: String
    let title: String
    let details: String
    let goal: Int?
    let reward: String?
    let startsAt: String
    let endsAt: String
    let image: String?
}
