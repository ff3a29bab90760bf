import Foundation
public import NIOCore
import Synchronization

/// A file of accepted writes and their answers, one JSON object per line, for ``AnswerCheck``. A line is written before the customer acts
/// on the answer. So even after a kill of server and generator, only the last line may be incomplete.
public final class AnswerRecord: Sendable {
    struct Line: Codable, Sendable {
        /// `X-Request-ID`.
        let id: String
        let path: String
        let token: String?
        let key: String?
        let body: String?
        let status: Int
        let answer: String
    }

    private let file: Mutex<FileHandle>

    /// Only its owner may read it, because it contains valid tokens.
    public init(path: String) throws {
        try Data().write(to: URL(filePath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
        file = Mutex(try FileHandle(forWritingTo: URL(filePath: path)))
    }

    /// Only a request with a key, or a sign-in, whose session must remain valid until the check.
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

/// Checks that a server gives the same answers as before a crash, a restore or an upgrade.
public struct AnswerCheck: Sendable {
    static let sessions = "/v1/sessions"

    private let lines: [AnswerRecord.Line]

    /// Ignores an incomplete last line, because nobody relied on its answer.
    public init(path: String) throws {
        let texts = try String(contentsOfFile: path, encoding: .utf8).split(separator: "\n", omittingEmptySubsequences: false)
        lines = try texts.dropLast().map { try JSONDecoder().decode(AnswerRecord.Line.self, from: Data($0.utf8)) }
    }

    public var count: Int { lines.count }

    /// - Returns: descriptions of the answers that differ.
    public func run(against address: ServerAddress, on group: any EventLoopGroup) async throws -> [String] {
        let caller = Caller(address, on: group, into: Measurements())
        var differences: [String] = []
        for line in lines {
            let isSession = line.path == Self.sessions
            let difference = try await isSession ? differenceOfSession(line, caller) : difference(of: line, caller)
            if let difference { differences.append(difference) }
        }
        await caller.close()
        return differences
    }

    private func difference(of line: AnswerRecord.Line, _ caller: Caller) async throws -> String? {
        let ask = Ask(.post, line.path, route: "again", token: line.token, key: line.key, body: line.body)
        let answer = try await caller.send(ask)
        let text = String(decoding: answer.body, as: UTF8.self)
        guard answer.status != line.status || text != line.answer else { return nil }
        let (old, new) = (line.answer.prefix(Limits.answerCharactersShown), text.prefix(Limits.answerCharactersShown))
        return "POST \(line.path) with key \(line.key ?? "none"): \(line.status) \(old) became \(answer.status) \(new)"
    }

    private func differenceOfSession(_ line: AnswerRecord.Line, _ caller: Caller) async throws -> String? {
        let session = try JSONDecoder().decode(Session.self, from: Data(line.answer.utf8))
        let answer = try await caller.send(Ask(.get, "/v1/me", route: "me", token: session.accessToken))
        guard answer.status == 200, let account: Session.Account = try? answer.read(), account == session.account else {
            return "the session of \(session.account.id): GET /v1/me is \(answer.status) \(String(decoding: answer.body, as: UTF8.self))"
        }
        return nil
    }

    private struct Session: Decodable {
        struct Account: Decodable, Equatable {
            let id: String
            let phone: String
        }

        let accessToken: String
        let account: Account
    }
}
