import Loyalty

/// That feedback was taken down, and when.
struct FeedbackAnswer: JSONWritable {
    let receivedAt: Instant

    func write(to json: inout JSONWriter) {
        json.object { $0.field("receivedAt", receivedAt) }
    }
}
