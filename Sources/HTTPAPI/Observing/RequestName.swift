import HTTPTypes
import Hummingbird
import Logging

/// The id under which a request is known: in the answer, in the log, and at whoever stands before this service.
enum RequestName {
    /// Where Hummingbird's logger keeps it.
    static let metadataKey = "hb.request.id"
    /// Longer ones are nobody's ids.
    private static let charactersMax = 128

    /// The client's own id, where it is one: letters, digits and `-_.:+/=@`, so that it can do no harm in a log or a header.
    static func given(by request: Request) -> String? {
        guard let text = request.headers.text(of: .requestID), (1...charactersMax).contains(text.utf8.count) else { return nil }
        return text.utf8.allSatisfy(isAllowed) ? text : nil
    }

    /// The id that the server gave; a new one where its logger keeps nothing.
    static func made(with logger: Logger) -> String {
        logger[metadataKey: metadataKey]?.description ?? made()
    }

    /// A new one.
    static func made() -> String { RequestID().description }

    private static func isAllowed(_ byte: UInt8) -> Bool {
        switch byte {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"), UInt8(ascii: "0")...UInt8(ascii: "9"): true
        default: "-_.:+/=@".utf8.contains(byte)
        }
    }
}
