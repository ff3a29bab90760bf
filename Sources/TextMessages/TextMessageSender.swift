/// A carrier of text messages to phones.
public protocol TextMessageSender: Sendable {
    /// Returns when the carrier has accepted the message; delivery is not confirmed. Implementations MUST be safe to call concurrently,
    /// MUST give up in bounded time, and MUST NOT put number or text into a log or an error.
    ///
    /// - Throws: `TextMessageError`.
    func send(_ message: TextMessage) async throws

    /// Closes connections and files, for good.
    func close() async throws
}

/// A text message to one phone.
public struct TextMessage: Hashable, Sendable {
    /// A gateway that receives the same id twice should send only once.
    public let id: String
    /// E.164.
    public let phone: String
    public let text: String

    public init(id: String, phone: String, text: String) { (self.id, self.phone, self.text) = (id, phone, text) }
}

/// The reason why a message was not sent, without number and text.
public enum TextMessageError: Error, Hashable, CustomStringConvertible, Sendable {
    /// No http or https URL.
    case badAddress(String)
    /// Permanently rejected.
    case refused(status: Int)
    /// The reason of the last failure.
    case unreachable(attempts: Int, reason: String)
    /// The gateway is slow.
    case tooMany
    case unwritable(path: String, reason: String)
    case weakSecret(bytes: Int)

    public var description: String {
        switch self {
        case .badAddress(let text): "\(text) is no address of a gateway: give an http:// or https:// URL."
        case .refused(let status): "the SMS gateway refused the message with status \(status): check its address and the secret."
        case .unreachable(let attempts, let reason): "the SMS gateway did not take the message in \(attempts) attempts: \(reason)."
        case .tooMany: "too many text messages are on their way: the SMS gateway is slow."
        case .unwritable(let path, let reason): "\(path) cannot be written: \(reason). Choose another file, or make its folder."
        case .weakSecret(let bytes): "the SMS secret has \(bytes) bytes; it needs \(Limits.secretBytesMin) at least."
        }
    }
}
