/// Whatever carries text messages to phones.
public protocol TextMessageSender: Sendable {
    /// Hands the message over. When this returns, whoever sends it has taken it; that it arrived nobody knows.
    ///
    /// It MUST be safe to call from many tasks at once, MUST give up in bounded time, and MUST NOT let the phone or the text into a log or
    /// an error.
    ///
    /// - Throws: `TextMessageError`.
    func send(_ message: TextMessage) async throws

    /// Lets go of connections and files; nothing is sent after it.
    func close() async throws
}
