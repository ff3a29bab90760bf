/// `POST /shops/{id}/reviews`: a rating, a text, or both.
struct ReviewRequest: JSONReadable {
    let rating: Int?
    let text: String?

    init(_ fields: inout FieldReader) {
        rating = fields.optionalInt("rating")
        text = fields.optionalString("text")
    }
}
