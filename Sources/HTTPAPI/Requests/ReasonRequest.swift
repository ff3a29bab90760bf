/// Why something is done that others will ask about: a reversal, a suspension.
struct ReasonRequest: JSONReadable {
    let reason: String

    init(_ fields: inout FieldReader) {
        reason = fields.string("reason")
    }
}
