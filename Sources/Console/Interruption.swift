internal import Dispatch
internal import Foundation
internal import Synchronization

/// Cleans up on a signal, and then ends the process with 128 plus the signal's number, as shells report such an end. It is active as long
/// as it lives.
public final class Interruption {
    /// Attempts to remove a folder that is still being written to: each leaves less to come.
    private static let attemptsMax = 100
    private static let exitCodeBase: Int32 = 128

    /// Whether the end has begun, of this process as of all.
    private static let isUnderWay = Atomic(false)

    private let signals: [Int32]
    private let sources: [any DispatchSourceSignal]

    /// - Parameters:
    ///   - endsWithTerminal: whether a closed terminal is such a wish, too; not for work that `nohup` may be put before.
    ///   - clearUp: called on a thread of its own.
    public init(endsWithTerminal: Bool = false, _ clearUp: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "interruption")
        signals = [SIGINT, SIGTERM] + (endsWithTerminal ? [SIGHUP] : [])
        sources = signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.isUnderWay.store(true, ordering: .releasing)
                clearUp()
                // Not by the signal itself: a parent may have handed down a mask that blocks it.
                _exit(Self.exitCodeBase + number)
            }
            source.resume()
            return source
        }
    }

    /// - Parameter paths: files and folders that are nothing yet.
    public convenience init(removing paths: [String]) {
        self.init { Self.remove(paths) }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Waits for the end where it has begun: what fails meanwhile fails for that reason, and nobody wants to read of it; nor may it end the
    /// process before all is cleared up.
    public static func waitIfUnderWay() {
        while isUnderWay.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) }
    }

    private static func remove(_ paths: [String]) {
        let files = FileManager.default
        for path in paths {
            for _ in 0..<attemptsMax where files.fileExists(atPath: path) { try? files.removeItem(atPath: path) }
        }
    }
}
