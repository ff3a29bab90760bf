import Loyalty

/// `PUT /me/password`
struct PasswordRequest: JSONReadable {
    let current: String?
    let new: String

    init(_ fields: inout FieldReader) {
        current = fields.optionalString("current")
        new = fields.string("new")
        if let complaint = Limits.password.complaint(about: new) { fields.require(false, "new", complaint) }
    }
}
