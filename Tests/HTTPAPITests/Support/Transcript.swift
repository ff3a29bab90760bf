import Foundation
import HTTPTypes
import Synchronization

/// Requests and answers as readable text. Each ID, code and token is replaced by its kind and a number. Times are replaced by a
/// placeholder.
final class Transcript: Sendable {
    private struct State {
        var text = ""
        var names: [String: String] = [:]
        var counts: [String: Int] = [:]
    }

    private let state = Mutex(State())

    var text: String { state.withLock { $0.text } }

    /// Adds a line of narration.
    func say(_ line: String) {
        state.withLock { $0.text += "\n## \(line)\n" }
    }

    /// The request and answer headers that the transcript shows.
    private static let asked = ["If-Match", "GreenTea-Min-Position", "Accept-Language"].map { HTTPField.Name($0)! }
    private static let answered = ["Location", "ETag", "GreenTea-Position", "Retry-After"].map { HTTPField.Name($0)! }

    func record(
        _ who: String, _ method: HTTPRequest.Method, _ path: String, _ key: String?, _ headers: HTTPFields = [:], _ body: String?,
        _ reply: Reply
    ) {
        var lines = ["", "\(who)> \(method.rawValue) \(path)"]
        if let key { lines.append("Idempotency-Key: \(key)") }
        for name in Self.asked { if let value = headers[name], !value.isEmpty { lines.append("\(name): \(value)") } }
        if let body { lines.append(body) }
        lines.append("< \(reply.status)")
        // Every answer to a read has this position, so transcripts show the positions of writes only.
        for name in Self.answered where name.canonicalName != "greentea-position" || method != .get {
            if let value = reply.headers[name] { lines.append("\(name): \(value)") }
        }
        if !reply.body.isEmpty { lines.append(Self.shown(reply)) }
        let raw = lines.joined(separator: "\n")
        state.withLock { state in
            state.text += Self.normalised(raw, &state) + "\n"
        }
    }

    /// Records the part of an event stream that was read.
    ///
    /// - Parameter start: the last event that the reader had seen before.
    func record(_ who: String, stream path: String, from start: UInt64?, _ text: String) {
        let request = "\n\(who)> GET \(path)" + (start.map { "\nLast-Event-ID: \($0)" } ?? "")
        let answer = "\n< 200\n" + text.trimmingCharacters(in: .newlines) + "\n"
        state.withLock { $0.text += Self.normalised(request + answer, &$0) }
    }

    /// Shows JSON indented, and any other body by its content type only.
    private static func shown(_ reply: Reply) -> String {
        let kind = reply.headers[.contentType] ?? ""
        return kind.contains("json") ? PrettyJSON.text(reply.body) : "<\(kind)>"
    }

    private static func normalised(_ text: String, _ state: inout State) -> String {
        var text = text
        text.replace(#/<svg .*?<\/svg>/#, with: "<svg>…</svg>")
        text.replace(#/ey[\w-]+\.[\w-]+\.[\w-]+/#) { "<\(name(String($0.output), "accessToken", &state))>" }
        text.replace(#/ses_[0-9a-z]{26}\.rt_[0-9a-z]{26}/#) { "<\(name(String($0.output), "refreshToken", &state))>" }
        text.replace(#/\b(acct|shop|camp|code|card|rdm|rev|ntc|img|ses|inv|print|paper)_[0-9a-z]{26}/#) { match in
            "<\(name(String(match.output.0), String(match.output.1), &state))>"
        }
        // A code has one spelling for display and one in links. The transcript replaces both by the same name.
        text.replace(#/\b[0-9A-HJKMNP-TV-Z]{4}-?[0-9A-HJKMNP-TV-Z]{4}\b/#) { match in
            let plain = match.output.filter { $0 != "-" }
            return plain.allSatisfy(\.isNumber) ? String(match.output) : "<\(name(plain, "typed", &state))>"
        }
        text.replace(#/"(devCode|code)" ?: ?"\d{6}"/#) { "\"\($0.output.1)\": \"<six digits>\"" }
        text.replace(#/"(expiresAt|openedAt|createdAt|at|requestedAt|redeemedAt|readAt|postedAt|invitedAt)" ?: ?"[^"]+"/#) {
            "\"\($0.output.1)\": \"<time>\""
        }
        // A digest covers ids and times.
        text.replace(#/(?:ETag|If-Match): "\d+(-[0-9a-f]{16})"/#) { $0.output.0.replacingOccurrences(of: $0.output.1, with: "") }
        text.replace(#/"requestId" ?: ?"[^"]+"/#, with: "\"requestId\": \"<request>\"")
        return text
    }

    private static func name(_ value: String, _ kind: String, _ state: inout State) -> String {
        if let known = state.names[value] { return known }
        state.counts[kind, default: 0] += 1
        let name = "\(kind) \(state.counts[kind]!)"
        state.names[value] = name
        return name
    }
}
