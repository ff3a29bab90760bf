/// Whatever carries text messages to phones.
public protocol TextMessageSender: Sendable {
    /// Hands the message over. When this returns, the provider has accepted it; delivery is not confirmed.
    ///
    /// It MUST be safe to call concurrently, MUST give up in bounded time, and MUST NOT let the phone or the text into a log or an error.
    ///
    /// - Throws: `TextMessageError`.
    func send(_ message: TextMessage) async throws

    /// Lets go of connections and files; nothing is sent after it.
    func close() async throws
}

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

/// Why a text message was not handed over. It names neither phone nor text.
public enum TextMessageError: Error, Hashable, CustomStringConvertible, Sendable {
    /// The gateway's address is no http or https URL.
    case badAddress(String)
    /// The gateway refused the message for good, with this HTTP status.
    case refused(status: Int)
    /// No attempt of several was answered well; the last one failed so.
    case unreachable(attempts: Int, reason: String)
    /// So many are on their way that the gateway must be slow.
    case tooMany
    /// The file cannot be written.
    case unwritable(path: String, reason: String)
    /// The secret that messages are signed with is too short to be one.
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
