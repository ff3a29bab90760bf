internal import Dispatch
internal import Foundation
internal import Synchronization

/// On a signal, cleans up and ends the process with the exit code 128 plus the signal's number, as shells do. The object watches for
/// signals until it is released.
public final class Interruption {
    private static let exitCodeBase: Int32 = 128

    /// Whether the end of the process has begun.
    private static let isUnderWay = Atomic(false)

    private let signals: [Int32]
    private let sources: [any DispatchSourceSignal]

    /// Starts watching for signals.
    ///
    /// - Parameters:
    ///   - endsWithTerminal: whether a closed terminal also ends the process. False for work that may run under `nohup`.
    ///   - clearUp: called with the signal's number, on a separate thread.
    public init(endsWithTerminal: Bool = false, _ clearUp: @escaping @Sendable (Int32) -> Void) {
        let queue = DispatchQueue(label: "interruption")
        signals = [SIGINT, SIGTERM] + (endsWithTerminal ? [SIGHUP] : [])
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.isUnderWay.store(true, ordering: .releasing)
                clearUp(number)
                // The process does not end by sending itself the signal, because it may have inherited a mask that blocks the signal.
                _exit(Self.exitCodeBase + number)
            }
            source.resume()
            return source
        }
    }

    /// Removes unfinished files and folders when a signal comes.
    ///
    /// The process becomes a shell that removes them, which ends its other threads at once. A thread that still ran could create a folder
    /// again after its removal.
    ///
    /// - Parameter paths: unfinished files and folders. A path at which nothing exists is ignored.
    public convenience init(removing paths: [String]) {
        self.init { number in Self.remove(paths, on: number) }
    }

    /// Runs work that names each unfinished file or folder once it belongs to this process. A signal during the work removes what was
    /// named so far. Something that was not named stays, because it may be the unfinished work of another process.
    ///
    /// - Parameter work: called with a function that takes the path of an unfinished file or folder.
    public static func removingUnfinished<Result>(_ work: (_ begun: (String) -> Void) throws -> Result) rethrows -> Result {
        let unfinished = Unfinished()
        let interruption = Interruption { number in Self.remove(unfinished.paths, on: number) }
        defer { withExtendedLifetime(interruption) {} }
        return try work { unfinished.add($0) }
    }

    /// The unfinished files and folders of this process. One thread adds paths, and another one reads them after a signal.
    private final class Unfinished: Sendable {
        private let list = Mutex<[String]>([])

        var paths: [String] { list.withLock { $0 } }

        func add(_ path: String) { list.withLock { $0.append(path) } }
    }

    deinit {
        // Dispatch installs its handlers of signals on a thread of its own. After very short work it may do so only now. Then a signal has
        // no effect on the rest of the program, which a user ends by SIGQUIT or SIGKILL. It removes nothing.
        //
        // The default comes first: a cancelled source calls no handler, so a signal between the two calls would be lost.
        for number in signals { signal(number, SIG_DFL) }
        for source in sources { source.cancel() }
    }

    /// Waits for the end of the process if it has begun. A failure that follows from the clean-up must not be reported, and must not end
    /// the process before the clean-up is complete.
    public static func waitIfUnderWay() {
        while isUnderWay.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) }
    }

    private static func remove(_ paths: [String], on number: Int32) {
        becomeShell(removing: paths, exitCode: exitCodeBase + number)
        // If no shell could be started, this process removes the files itself.
        for path in paths { try? FileManager.default.removeItem(atPath: path) }
    }

    /// Replaces this process by a shell that removes the files. Returns only if the shell cannot be started.
    private static func becomeShell(removing paths: [String], exitCode: Int32) {
        let arguments = ["sh", "-c", "rm -rf -- \"$@\"; exit \(exitCode)", "sh"] + paths
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv("/bin/sh", &pointers)
    }
}
