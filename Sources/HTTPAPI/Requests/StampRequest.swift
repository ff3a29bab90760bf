/// `POST /stamps`
struct StampRequest: JSONReadable {
    /// As it was typed or scanned.
    let code: String
    /// Where given, the code must be of this campaign.
    let campaign: String?

    init(_ fields: inout FieldReader) {
        code = fields.string("code")
        campaign = fields.optionalString("campaign")
    }
}
