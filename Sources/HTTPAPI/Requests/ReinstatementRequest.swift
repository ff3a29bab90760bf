/// `DELETE /admin/shops/{id}/suspension`; the reason may be left out, and so may the body.
struct ReinstatementRequest: JSONReadable {
    let reason: String?

    init(_ fields: inout FieldReader) {
        reason = fields.optionalString("reason")
    }
}
