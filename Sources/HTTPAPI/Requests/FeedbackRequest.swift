/// `POST /feedback`
struct FeedbackRequest: JSONReadable {
    let text: String

    init(_ fields: inout FieldReader) {
        text = fields.string("text")
    }
}
