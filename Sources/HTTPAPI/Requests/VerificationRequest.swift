/// `POST /verifications`
struct VerificationRequest: JSONReadable {
    let phone: String

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
    }
}
