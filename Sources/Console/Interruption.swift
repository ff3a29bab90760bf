internal import Dispatch
internal import Foundation
internal import Synchronization

/// Cleans up on a signal and ends the process with the exit code 128 plus the signal's number, until the object is released.
public final class Interruption {
    private static let exitCodeBase: Int32 = 128

    private static let isUnderWay = Atomic(false)

    private let signals: [Int32]
    private let sources: [any DispatchSourceSignal]

    /// - Parameter endsWithTerminal: whether a closed terminal also ends the process; false for work under `nohup`.
    public init(endsWithTerminal: Bool = false, _ clearUp: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "interruption")
        signals = [SIGINT, SIGTERM] + (endsWithTerminal ? [SIGHUP] : [])
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.isUnderWay.store(true, ordering: .releasing)
                clearUp(number)
                // Not by sending itself the signal, which an inherited mask may block.
                _exit(Self.exitCodeBase + number)
            }
            source.resume()
            return source
        }
    }

    /// Runs work that names each unfinished file or folder once it belongs to this process. A signal removes those named so far; others may
    /// be another process's.
    ///
    /// The process becomes a shell that removes them, which ends its other threads: one could create a folder again after its removal.
    public static func removingUnfinished<Result>(_ work: (_ begun: (String) -> Void) throws -> Result) rethrows -> Result {
        let unfinished = Unfinished()
        let interruption = Interruption { number in Self.remove(unfinished.paths, on: number) }
        defer { withExtendedLifetime(interruption) {} }
        return try work { unfinished.add($0) }
    }

    private final class Unfinished: Sendable {
        private let list = Mutex<[String]>([])

        var paths: [String] { list.withLock { $0 } }

        func add(_ path: String) { list.withLock { $0.append(path) } }
    }

    deinit {
        // Dispatch may install its handlers only now, after very short work. Then a signal has no effect, and SIGQUIT or SIGKILL ends the
        // program.
        //
        // The default comes first: a cancelled source calls no handler, so a signal between the two calls would be lost.
        for number in signals { signal(number, SIG_DFL) }
        for source in sources { source.cancel() }
    }

    /// Waits for the end of the process if it has begun, so that a failure caused by the clean-up does not interrupt it.
    public static func waitIfUnderWay() { while isUnderWay.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) } }

    private static func remove(_ paths: [String], on number: Int32) {
        becomeShell(removing: paths, exitCode: exitCodeBase + number)
        // Without a shell, this process removes the files itself.
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Returns only on failure.
    private static func becomeShell(removing paths: [String], exitCode: Int32) {
        let arguments = ["sh", "-c", "rm -rf -- \"$@\"; exit \(exitCode)", "sh"] + paths
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv("/bin/sh", &pointers)
    }
}
