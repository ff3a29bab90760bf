/// `POST /admin/cards/{id}/adjustments`
struct AdjustmentRequest: JSONReadable {
    /// Added, or below 0 taken off.
    let stamps: Int
    let reason: String

    init(_ fields: inout FieldReader) {
        stamps = fields.int("stamps")
        reason = fields.string("reason")
    }
}
