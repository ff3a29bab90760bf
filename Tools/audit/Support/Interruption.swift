import Dispatch
import Foundation
import Synchronization

/// Removes what is half made when the operator ends the command: SIGINT and SIGTERM clear it away, and then end the process with 128
/// and their number, as shells report such an end. It acts as long as it lives.
final class Interruption {
    /// Attempts to remove a folder that is still being written to: each leaves less to come.
    private static let attemptsMax = 100

    private static let exitCodeBase: Int32 = 128
    /// Whether the process is about to end by a signal.
    private static let isEnding = Mutex(false)

    private let sources: [any DispatchSourceSignal]

    /// - Parameter paths: files and folders that are nothing yet.
    init(removing paths: [String]) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.isEnding.withLock { $0 = true }
                Self.remove(paths)
                // Not by the signal itself: a parent may have handed down a mask that blocks it.
                _exit(Self.exitCodeBase + number)
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    /// To be called before the process ends in its own way: the work may have failed only because what it wrote is being removed, and must
    /// not end the process before that is done.
    static func giveWay() {
        while isEnding.withLock(\.self) { Thread.sleep(forTimeInterval: 1) }
    }

    private static func remove(_ paths: [String]) {
        let files = FileManager.default
        for path in paths {
            for _ in 0..<attemptsMax where files.fileExists(atPath: path) { try? files.removeItem(atPath: path) }
        }
    }
}
