/// `POST /reviews/{id}/replies`
struct ReplyRequest: Decodable {
    let text: String
}
