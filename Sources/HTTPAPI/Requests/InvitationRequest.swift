/// `POST /shops/{id}/invitations`
struct InvitationRequest: JSONReadable {
    let phone: String

    init(_ fields: inout FieldReader) {
        phone = fields.string("phone")
    }
}
