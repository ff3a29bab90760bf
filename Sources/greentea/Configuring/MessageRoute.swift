import CommandService
import Loyalty
import TextMessages

/// What `--sms` says: how text messages leave.
enum MessageRoute: Equatable {
    case webhook(String)
    case file(String)

    /// - Returns: nil for another form.
    init?(_ text: String) {
        let parts = text.split(separator: ":", maxSplits: 1)
        guard parts.count == 2 else { return nil }
        switch parts[0] {
        case "webhook": self = .webhook(String(parts[1]))
        case "file": self = .file(String(parts[1]))
        default: return nil
        }
    }

    /// - Parameter secret: what a webhook's messages are signed with.
    /// - Throws: `TextMessageError`.
    func sender(secret: [UInt8]) throws(TextMessageError) -> any TextMessageSender {
        let seconds: @Sendable () -> Int64 = { SystemClock().now().microseconds / 1_000_000 }
        switch self {
        case .webhook(let url): return try WebhookSender(url: url, secret: secret, seconds: seconds)
        case .file(let path): return try FileSender(path: path, seconds: seconds)
        }
    }
}
