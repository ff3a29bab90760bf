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
        self.init { number in
            Self.becomeShell(removing: paths, exitCode: Self.exitCodeBase + number)
            // If no shell could be started, this process removes the files itself.
            for path in paths { try? FileManager.default.removeItem(atPath: path) }
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Waits for the end of the process if it has begun. A failure that follows from the clean-up must not be reported, and must not end
    /// the process before the clean-up is complete.
    public static func waitIfUnderWay() {
        while isUnderWay.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) }
    }

    /// Replaces this process by a shell that removes the files. Returns only if the shell cannot be started.
    private static func becomeShell(removing paths: [String], exitCode: Int32) {
        let arguments = ["sh", "-c", "rm -rf -- \"$@\"; exit \(exitCode)", "sh"] + paths
        var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
        unsafe execv("/bin/sh", &pointers)
    }
}
