/// `POST /reviews/{id}/replies`
struct ReplyRequest: JSONReadable {
    let text: String

    init(_ fields: inout FieldReader) {
        text = fields.string("text")
    }
}
