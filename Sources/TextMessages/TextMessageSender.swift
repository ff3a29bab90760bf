/// A carrier of text messages to phones.
public protocol TextMessageSender: Sendable {
    /// Sends a message to the carrier. Returns when the carrier has accepted the message; delivery to the phone is not confirmed.
    ///
    /// An implementation MUST be safe to call concurrently, MUST give up in bounded time, and MUST NOT put the phone number or the text
    /// into a log or an error.
    ///
    /// - Throws: `TextMessageError`.
    func send(_ message: TextMessage) async throws

    /// Closes connections and files. No message can be sent afterwards.
    func close() async throws
}

/// A text message to one phone.
public struct TextMessage: Hashable, Sendable {
    /// Identifies the message. A gateway that receives the same id twice should send the message only once.
    public let id: String
    /// The phone number in E.164 form.
    public let phone: String
    public let text: String

    public init(id: String, phone: String, text: String) {
        self.id = id
        self.phone = phone
        self.text = text
    }
}

/// The reason why a text message was not sent. It contains neither phone number nor text.
public enum TextMessageError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The gateway's address is not an http or https URL.
    case badAddress(String)
    /// The gateway rejected the message permanently, with this HTTP status.
    case refused(status: Int)
    /// All attempts failed; `reason` is the reason of the last failure.
    case unreachable(attempts: Int, reason: String)
    /// Too many messages are being sent at once, because the gateway is slow.
    case tooMany
    /// The file cannot be written.
    case unwritable(path: String, reason: String)
    /// The secret that signs messages is too short.
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
