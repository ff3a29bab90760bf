import Foundation
import Synchronization

/// `greentea-rebuild`, the program beside this one, run again and again on a folder that a server holds.
final class Rebuilding: Sendable {
    private struct State {
        var process: Process
        var ended = 0
        var isOver = false
        /// One of them could not rebuild, or not begin.
        var hasFailed = false
    }

    private let data: String
    private let state: Mutex<State>

    /// Starts the first one.
    init(of data: String) throws {
        self.data = data
        state = Mutex(State(process: Process()))
        try state.withLock { $0.process = try start() }
    }

    /// Ends the one that runs.
    ///
    /// - Returns: how many have come to their end before.
    /// - Throws: ``BenchError/missingTool(_:)`` when there was nothing to be disturbed by.
    func end() throws -> Int {
        let (running, ended, hasFailed) = state.withLock { state in
            state.isOver = true
            return (state.process, state.ended, state.hasFailed)
        }
        running.terminate()
        running.waitUntilExit()
        if hasFailed { throw BenchError.missingTool("greentea-rebuild") }
        return ended
    }

    private func start() throws -> Process {
        let process = Process()
        process.executableURL = Bundle.main.executableURL?.deletingLastPathComponent().appendingPathComponent("greentea-rebuild")
        process.arguments = ["--data", data, "--no-check", "--discard-old"]
        process.standardOutput = FileHandle.nullDevice
        process.standardError = FileHandle.nullDevice
        process.terminationHandler = { [self] in again(after: $0) }
        try process.run()
        return process
    }

    private func again(after process: Process) {
        state.withLock { state in
            if state.isOver { return }
            guard process.terminationStatus == 0, let next = try? start() else { return state.hasFailed = true }
            state.ended += 1
            state.process = next
        }
    }
}
