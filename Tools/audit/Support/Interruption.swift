import Dispatch
import Foundation

/// Removes what is half made when the operator ends the command: SIGINT and SIGTERM clear it away, and then end the process as they
/// always do. It acts as long as it lives.
final class Interruption {
    /// Attempts to remove a folder that is still being written to: each leaves less to come.
    private static let attemptsMax = 100

    private let sources: [any DispatchSourceSignal]

    /// - Parameter paths: files and folders that are nothing yet.
    init(removing paths: [String]) {
        sources = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler {
                Self.remove(paths)
                signal(number, SIG_DFL)
                kill(getpid(), number)
            }
            source.resume()
            return source
        }
    }

    deinit {
        for source in sources { source.cancel() }
        for number in [SIGINT, SIGTERM] { signal(number, SIG_DFL) }
    }

    private static func remove(_ paths: [String]) {
        let files = FileManager.default
        for path in paths {
            for _ in 0..<attemptsMax where files.fileExists(atPath: path) { try? files.removeItem(atPath: path) }
        }
    }
}
