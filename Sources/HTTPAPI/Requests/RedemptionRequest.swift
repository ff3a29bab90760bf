/// `POST /redemptions` and its preview.
struct RedemptionRequest: JSONReadable {
    /// As it was typed or scanned.
    let code: String

    init(_ fields: inout FieldReader) {
        code = fields.string("code")
    }
}
