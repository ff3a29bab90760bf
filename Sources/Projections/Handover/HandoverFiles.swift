internal import EventLog
internal import Foundation

/// The files in a model's folder by which a builder and the running server coordinate.
///
/// ```
/// handover          the tool's request; the tool can withdraw it until the server renames the file
/// handover.taken    the same file, which the server renames just before it switches
/// handover.answer   the server's answer; when it is written, the server removes handover.taken
/// ```
/// Each file is complete or absent, and none is flushed, because a power failure ends both processes. The atomic rename tells a tool
/// that stops waiting whether the switch has begun. If the tool dies, the next holder of its ``BuildLock``, or the server, withdraws the
/// request.
package struct HandoverFiles: HandoverDesk, Sendable {
    private let model: String
    private let request, taken, answer: String

    package init(in folder: ModelFolder) {
        model = folder.model
        request = folder.path + "/handover"
        taken = request + ".taken"
        answer = request + ".answer"
    }

    package var isAsked: Bool { FileManager.default.fileExists(atPath: request) }

    /// If the server died then, the switch may be incomplete.
    package var isTaken: Bool { FileManager.default.fileExists(atPath: taken) }

    package var asked: Handover? { text(of: request).flatMap { Handover(text: $0) } }

    package var beingTaken: Handover? { text(of: taken).flatMap { Handover(text: $0) } }

    package var answered: HandoverAnswer? { text(of: answer).flatMap { HandoverAnswer(text: $0) } }

    /// Writes the request.
    package func ask(_ handover: Handover) throws(ReadModelError) {
        removeIfThere(answer)
        try store(handover.text, request)
    }

    /// Returns false if the server has taken the request, or if there is none.
    package func withdraw() -> Bool { remove(request) }

    /// Returns false if the request was withdrawn or the file cannot be renamed.
    package func take() -> Bool {
        do {
            removeIfThere(taken)
            try FileManager.default.moveItem(atPath: request, toPath: taken)
            return true
        } catch {
            return false
        }
    }

    func take(_ handover: Handover) -> Bool { asked == handover && take() }

    /// Even if the writing fails, the request is removed, so that nobody waits for an answer.
    package func reply(_ reply: HandoverAnswer) throws(ReadModelError) {
        defer { removeIfThere(taken) }
        try store(reply.text, answer)
    }

    /// Removes all files of the hand-over.
    package func clear() { for path in [request, taken, answer] { removeIfThere(path) } }

    /// Removes the file of a server that ended during a switch. A waiting request stays.
    package func clearTaken() { removeIfThere(taken) }

    private func text(of path: String) -> String? {
        FileManager.default.contents(atPath: path).map { String(decoding: $0, as: UTF8.self) }
    }

    private func removeIfThere(_ path: String) { _ = remove(path) }

    private func remove(_ path: String) -> Bool {
        do {
            try FileManager.default.removeItem(atPath: path)
            return true
        } catch {
            return false
        }
    }

    private func store(_ text: String, _ path: String) throws(ReadModelError) {
        do { try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic) } catch {
            throw ReadModelError(file: "cannot write \(path)", error, model: model)
        }
    }
}
