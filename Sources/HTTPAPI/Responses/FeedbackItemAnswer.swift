import Loyalty

/// What somebody told the operator, for operators.
struct FeedbackItemAnswer: JSONWritable {
    let author: AccountID
    /// `nil` where its author was erased.
    let text: String?
    let at: Instant
    /// Where in the log it stands.
    let position: UInt64

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("position", position)
            $0.field("author", author)
            $0.field("text", text)
            $0.field("createdAt", at)
        }
    }
}
