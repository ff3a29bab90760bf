/// Answer a review or a reply.
public struct PostReply: Hashable, Sendable {
    public let reply: ReviewID
    public let parent: ReviewID
    public let text: Sealed

    public init(reply: ReviewID, parent: ReviewID, text: Sealed) {
        self.reply = reply
        self.parent = parent
        self.text = text
    }
}
