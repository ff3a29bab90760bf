/// Somebody told the operator what they think of the service.
public struct FeedbackGiven: Hashable, Sendable {
    public let author: AccountID
    public let text: Sealed

    public init(author: AccountID, text: Sealed) {
        self.author = author
        self.text = text
    }
}
