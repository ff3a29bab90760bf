/// `POST /sessions`: with the code that was sent to the phone, or with a password.
struct SessionRequest: JSONReadable {
    let phone: String
    let code: String?
    let password: String?

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
        code = fields.optionalString("code")
        password = fields.optionalString("password")
    }
}
