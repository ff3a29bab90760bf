import Loyalty

/// `PUT /me/password`
struct PasswordRequest: JSONReadable {
    let current: String?
    /// Sent to the account's own number.
    let code: String?
    let new: String

    init(_ fields: inout FieldReader) {
        current = fields.optionalString("current")
        code = fields.optionalString("code")
        new = fields.string("new")
        if let complaint = Limits.password.complaint(about: new) { fields.require(false, "new", complaint) }
    }
}
