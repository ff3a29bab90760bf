/// A text message to one phone.
public struct TextMessage: Hashable, Sendable {
    /// Names the message, so that a gateway that hears of it twice sends it once.
    public let id: String
    /// E.164.
    public let phone: String
    public let text: String

    public init(id: String, phone: String, text: String) {
        self.id = id
        self.phone = phone
        self.text = text
    }
}
