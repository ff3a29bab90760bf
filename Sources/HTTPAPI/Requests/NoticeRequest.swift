/// `POST /notices`
struct NoticeRequest: JSONReadable {
    let title: String
    let text: String
    /// `all` or `shop`.
    let audience: String

    init(_ fields: inout FieldReader) {
        title = fields.string("title")
        text = fields.string("text")
        audience = fields.string("audience")
    }
}
