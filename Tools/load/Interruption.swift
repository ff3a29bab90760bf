import Dispatch
import Foundation
import Synchronization

/// Clears up when somebody asks for the end (Ctrl-C, SIGTERM, a closed terminal), as a run that ends by itself does.
final class Interruption {
    private static let signals = [SIGINT, SIGTERM, SIGHUP]

    /// Whether the end has begun, of this process as of all.
    private static let isUnderWay = Atomic(false)

    private let sources: [any DispatchSourceSignal]

    /// - Parameter clearUp: called on a thread of its own; the process ends after it as the signal would have ended it for a shell.
    init(_ clearUp: @escaping @Sendable () -> Void) {
        let queue = DispatchQueue(label: "interruption")
        sources = Self.signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: queue)
            source.setEventHandler {
                Self.isUnderWay.store(true, ordering: .releasing)
                clearUp()
                exit(128 + number)
            }
            source.resume()
            return source
        }
    }

    /// Waits for the end where it has begun: what fails meanwhile fails for that reason, and nobody wants to read of it.
    static func waitIfUnderWay() {
        while isUnderWay.load(ordering: .acquiring) { Thread.sleep(forTimeInterval: 1) }
    }

    deinit { sources.forEach { $0.cancel() } }
}
