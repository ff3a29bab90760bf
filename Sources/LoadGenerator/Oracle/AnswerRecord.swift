import Foundation
import Synchronization

/// Accepted requests and their answers in a file, one JSON object a line, for ``AnswerCheck`` to send again.
///
/// A line is in the file before the customer acts on the answer. So after a crash of the server, and of the generator too, the file holds
/// every promise that anybody relied on, except the last line of each connection, which may be missing or cut short.
public final class AnswerRecord: Sendable {
    /// One accepted request.
    struct Line: Codable, Sendable {
        /// The `X-Request-ID` of the answer.
        let id: String
        let path: String
        let token: String?
        let key: String?
        let body: String?
        let status: Int
        let answer: String
    }

    private let file: Mutex<FileHandle>

    /// Begins a new file, in place of one that is there.
    ///
    /// - Throws: if the file cannot be made.
    public init(path: String) throws {
        try Data().write(to: URL(filePath: path))
        file = Mutex(try FileHandle(forWritingTo: URL(filePath: path)))
    }

    /// Adds an accepted write that can be sent again: one with a key, or a sign-in, whose session must go on.
    func add(_ ask: Ask, _ answer: Answer) throws {
        guard ask.method == .post, (200..<300).contains(answer.status), ask.key != nil || ask.path == AnswerCheck.sessions else { return }
        let line = Line(
            id: answer.requestID, path: ask.path, token: ask.token, key: ask.key, body: ask.body, status: answer.status,
            answer: String(decoding: answer.body, as: UTF8.self))
        let encoder = JSONEncoder()
        encoder.outputFormatting = .withoutEscapingSlashes
        let data = try encoder.encode(line) + Data("\n".utf8)
        try file.withLock { try $0.write(contentsOf: data) }
    }
}
