internal import Dispatch
public import Foundation
internal import Synchronization
public import Testing

// The time limit of a test cancels its task. These waits end also where a cancellation reaches nothing.

extension Task where Success: Sendable {
    /// The value of a task that a test has started. `value` would wait for ever, because the task is not cancelled with its test.
    public func valueInTime(sourceLocation: SourceLocation = #_sourceLocation) async throws -> Success {
        let ended = Ended<Success, Failure>()
        Task<Void, Never> {
            let result = await result
            ended.result.withLock { $0 = result }
        }
        do {
            try await eventually("the test's task ends", sourceLocation: sourceLocation) { ended.result.withLock { $0 != nil } }
        } catch {
            cancel()
            throw error
        }
        return try await value
    }
}

/// Stops a process without ending it, and waits until each of its threads stands still: after the signal they may run for a while.
@available(*, noasync)
public func freeze(_ process: pid_t, sourceLocation: SourceLocation = #_sourceLocation) throws {
    kill(process, SIGSTOP)
    let threads = "/proc/\(process)/task"
    try eventually("each thread of the process stands still", sourceLocation: sourceLocation) {
        try FileManager.default.contentsOfDirectory(atPath: threads).allSatisfy { thread in
            // The state follows the name, which is in parentheses. A thread that has ended has no file.
            guard let line = try? String(contentsOfFile: "\(threads)/\(thread)/stat", encoding: .utf8) else { return true }
            return line.split(separator: ")").last?.hasPrefix(" T") == true
        }
    }
}

private final class Ended<Success: Sendable, Failure: Error>: Sendable {
    let result = Mutex<Result<Success, Failure>?>(nil)
}

extension Process {
    /// Starts the process, and kills it after the patience, so that no wait for its output or its end lasts longer.
    public func runInTime() throws {
        try run()
        DispatchQueue.global().asyncAfter(deadline: .now() + patienceSeconds) { [weak self] in
            if let self, isRunning { kill(processIdentifier, SIGKILL) }
        }
    }
}

/// A thread that waits wakes at once when it is signalled, and checks its patience this often.
private let wakeSeconds = 0.1

extension DispatchSemaphore {
    /// Waits for a signal, but no longer than the patience.
    @available(*, noasync)
    public func waitInTime(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try eventually(what, sourceLocation: sourceLocation) { wait(timeout: .now() + wakeSeconds) == .success }
    }
}

extension DispatchGroup {
    /// Waits for the group's work, but no longer than the patience.
    @available(*, noasync)
    public func waitInTime(_ what: Comment, sourceLocation: SourceLocation = #_sourceLocation) throws {
        try eventually(what, sourceLocation: sourceLocation) { wait(timeout: .now() + wakeSeconds) == .success }
    }
}
