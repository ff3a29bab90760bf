/// `POST /shops/{id}/reviews`: a rating, a text, or both.
struct ReviewRequest: Decodable {
    let rating: Int?
    let text: String?
}
