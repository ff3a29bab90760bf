/// `POST /campaigns/{id}/codes`; every field may be left out, and so may the body.
struct CodeRequest: JSONReadable {
    let stamps: Int?
    /// Seconds.
    let validFor: Int?

    init(_ fields: inout FieldReader) {
        stamps = fields.optionalInt("stamps")
        validFor = fields.optionalInt("validFor")
    }
}
