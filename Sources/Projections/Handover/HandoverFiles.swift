internal import EventLog
internal import Foundation

/// The files in a model's folder by which a rebuild tool and the running server coordinate.
///
/// ``` handover the request, from the tool, which may withdraw it at any moment handover.taken the same file, renamed by the server right
/// before it switches; from here on it cannot be withdrawn handover.answer the result, from the server, which removes the request with it
/// ``` Each file is complete or absent. None is flushed, because a power failure ends both the tool and the server. The rename is atomic,
/// so a tool that gives up knows whether the switch has begun. The tool holds the ``BuildLock`` until it is done. If its process dies, the
/// request is withdrawn by the next holder of that lock, or by a server that sees the request. The next server removes `handover.taken`.
package struct HandoverFiles: Sendable {
    private let model: String
    private let request, taken, answer: String

    package init(in folder: ModelFolder) {
        model = folder.model
        request = folder.path + "/handover"
        taken = request + ".taken"
        answer = request + ".answer"
    }

    /// Whether a request is waiting. Costs one system call.
    package var isAsked: Bool { FileManager.default.fileExists(atPath: request) }

    /// Whether the server has begun to switch. If the server's process ended after that, the switch may be incomplete.
    package var isTaken: Bool { FileManager.default.fileExists(atPath: taken) }

    /// The request; nil if there is none or its text is invalid.
    package var asked: Handover? { text(of: request).flatMap { Handover(text: $0) } }

    /// The request that the server is currently carrying out; nil if there is none.
    package var beingTaken: Handover? { text(of: taken).flatMap { Handover(text: $0) } }

    /// The answer, or nil if there is none.
    package var answered: HandoverAnswer? { text(of: answer).flatMap { HandoverAnswer(text: $0) } }

    /// Writes the request.
    package func ask(_ handover: Handover) throws(ReadModelError) {
        removeIfThere(answer)
        try store(handover.text, request)
    }

    /// Withdraws the request.
    ///
    /// - Returns: false if the server has taken or answered it, or if there is none.
    package func withdraw() -> Bool { remove(request) }

    /// Takes the request, for the server.
    ///
    /// - Returns: false if the tool has withdrawn it.
    package func take() -> Bool {
        do {
            // The rename fails if the target exists, so an old file is removed first.
            removeIfThere(taken)
            try FileManager.default.moveItem(atPath: request, toPath: taken)
            return true
        } catch {
            return false
        }
    }

    /// Answers the request that was taken.
    package func reply(_ reply: HandoverAnswer) throws(ReadModelError) {
        try store(reply.text, answer)
        removeIfThere(taken)
    }

    /// Removes all files of the hand-over.
    package func clear() {
        for path in [request, taken, answer] { removeIfThere(path) }
    }

    /// Removes the file of a server that ended during a switch. A waiting request is kept and will be handled.
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
        do {
            try Data(text.utf8).write(to: URL(fileURLWithPath: path), options: .atomic)
        } catch {
            throw ReadModelError(.storage, model: model, "cannot write \(path): \(FileFault(error))")
        }
    }
}
