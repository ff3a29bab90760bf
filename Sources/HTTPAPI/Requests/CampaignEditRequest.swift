import Loyalty

/// `PATCH /campaigns/{id}`: what is absent stays as it is, and `null` removes an image or a cap.
struct CampaignEditRequest: JSONReadable {
    let title: String?
    let details: String?
    let goal: Int?
    let reward: Change<String>
    let startsAt: String?
    let endsAt: String?
    let image: Change<String>
    let stampsPerDayMax: Change<Int>
    let minimumGapSeconds: Change<Int>

    init(_ fields: inout FieldReader) {
        title = fields.editedString("title")
        details = fields.editedString("details")
        goal = fields.editedInt("goal")
        reward = fields.changedString("reward")
        startsAt = fields.editedString("startsAt")
        endsAt = fields.editedString("endsAt")
        image = fields.changedString("image")
        stampsPerDayMax = fields.changedInt("stampsPerDayMax")
        minimumGapSeconds = fields.changedInt("minimumGapSeconds")
    }
}
