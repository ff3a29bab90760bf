/// `POST /shops/{id}/campaigns`. A promotion has no goal and may have no reward.
struct CampaignRequest: JSONReadable {
    let kind: String
    let title: String
    let details: String
    let goal: Int?
    let reward: String?
    let startsAt: String
    let endsAt: String
    let image: String?
    let stampsPerDayMax: Int?
    let minimumGapSeconds: Int?

    init(_ fields: inout FieldReader) {
        kind = fields.string("kind")
        title = fields.string("title")
        details = fields.string("details")
        goal = fields.optionalInt("goal")
        reward = fields.optionalString("reward")
        startsAt = fields.string("startsAt")
        endsAt = fields.string("endsAt")
        image = fields.optionalString("image")
        stampsPerDayMax = fields.optionalInt("stampsPerDayMax")
        minimumGapSeconds = fields.optionalInt("minimumGapSeconds")
    }
}
