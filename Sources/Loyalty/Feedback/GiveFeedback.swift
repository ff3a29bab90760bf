/// Tell the operator something.
public struct GiveFeedback: Hashable, Sendable {
    public let text: Sealed

    public init(text: Sealed) {
        self.text = text
    }
}
