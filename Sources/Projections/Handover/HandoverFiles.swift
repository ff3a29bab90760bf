internal import EventLog
internal import Foundation

/// The files in a model's folder by which a builder, such as the rebuild tool, and the running server coordinate.
///
/// ```
/// handover          the tool's request; the tool can withdraw it at any moment until the server renames the file
/// handover.taken    the same file, which the server renames just before it switches; from then on, the request cannot be withdrawn
/// handover.answer   the server's answer; when the server has written it, it removes handover.taken
/// ```
/// Each file is complete or absent. No file is flushed to disk, because a power failure ends both the tool and the server, and with them
/// the hand-over. The rename is atomic, so a tool that stops waiting knows whether the switch has begun. The tool has the ``BuildLock``
/// until the hand-over is done. If the tool's process dies, the next process with that lock, or a server that sees the request, withdraws
/// the request. The next server removes `handover.taken`.
package struct HandoverFiles: Sendable {
    private let model: String
    private let request, taken, answer: String

    package init(in folder: ModelFolder) {
        model = folder.model
        request = folder.path + "/handover"
        taken = request + ".taken"
        answer = request + ".answer"
    }

    /// Whether a tool's request to switch to a new generation is waiting for the server. The check costs one system call.
    package var isAsked: Bool { FileManager.default.fileExists(atPath: request) }

    /// Whether the server has begun to carry out or to refuse the request. If the server's process ended after that, the switch to
    /// the new generation may be incomplete.
    package var isTaken: Bool { FileManager.default.fileExists(atPath: taken) }

    /// The tool's request; nil if there is none or its text is invalid.
    package var asked: Handover? { text(of: request).flatMap { Handover(text: $0) } }

    /// The request that the server is currently carrying out or refusing; nil if there is none or its text is invalid.
    package var beingTaken: Handover? { text(of: taken).flatMap { Handover(text: $0) } }

    /// The server's answer to the tool; nil if there is none or its text is invalid.
    package var answered: HandoverAnswer? { text(of: answer).flatMap { HandoverAnswer(text: $0) } }

    /// Whether a request waits, is being carried out, or has been answered. If not, no answer will come: something has removed the request,
    /// or the server could not write its answer.
    ///
    /// The files are checked in the order in which a request passes through them, so a request that moves on meanwhile is not missed.
    package var isOpen: Bool { isAsked || isTaken || answered != nil }

    /// Writes the request.
    package func ask(_ handover: Handover) throws(ReadModelError) {
        removeIfThere(answer)
        try store(handover.text, request)
    }

    /// Withdraws the tool's request.
    ///
    /// - Returns: false if the server has begun to carry out the request or has answered it, or if there is no request.
    package func withdraw() -> Bool { remove(request) }

    /// Renames the file of the tool's request. With this, the server begins to carry out or to refuse the request.
    ///
    /// - Returns: false if the tool has withdrawn the request, or if the file cannot be renamed.
    package func take() -> Bool {
        do {
            // The rename fails if the target exists, so a file from an earlier hand-over is removed first.
            removeIfThere(taken)
            try FileManager.default.moveItem(atPath: request, toPath: taken)
            return true
        } catch {
            return false
        }
    }

    /// Writes the server's answer to the request that it has carried out or refused. If the answer cannot be written, for example because
    /// the disk is full, the request is removed all the same, so that the process that made it does not wait for an answer; see ``isOpen``.
    package func reply(_ reply: HandoverAnswer) throws(ReadModelError) {
        defer { removeIfThere(taken) }
        try store(reply.text, answer)
    }

    /// Removes all files of the hand-over.
    package func clear() {
        for path in [request, taken, answer] { removeIfThere(path) }
    }

    /// Removes the file `handover.taken` that a server left when it ended during a switch. A request that is still waiting is not removed.
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
            throw ReadModelError(file: "cannot write \(path)", error, model: model)
        }
    }
}
