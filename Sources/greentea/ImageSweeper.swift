import CommandService
import Composition
import Logging
import ServiceLifecycle
import ServiceLog
import Synchronization

/// At the start and once a day, removes the pictures to which nothing in the log refers.
struct ImageSweeper: Service {
    private static let hours = 24

    /// Whether the shutdown has begun.
    private final class Stop: Sendable {
        let isRequested = Atomic(false)
    }

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await sweep()
                try await Task.sleep(for: .seconds(Self.hours * 3_600))
            }
        }
        // Waits for the shutdown, because all services of the group end when one returns.
        try? await gracefulShutdown()
    }

    /// Removes the pictures. If this fails, it is repeated a day later; until then, the pictures only take space on the disk. At the
    /// shutdown it ends after the present picture, because a sweep of many pictures would delay the end of the server, and the services
    /// that end after this one, such as the HTTP server, would go on meanwhile.
    private func sweep() async {
        let stop = Stop()
        do {
            let count = try await withTaskCancellationHandler {
                try await service.sweepImages { stop.isRequested.load(ordering: .relaxed) }
            } onCancel: {
                stop.isRequested.store(true, ordering: .relaxed)
            }
            if count > 0 { logger.report(.imagesSwept, at: .info, "unused images were removed", ["count": "\(count)"]) }
        } catch {
            if Task.isCancelled { return }
            logger.report(.imagesNotSwept, at: .warning, "unused images could not be removed", ["error": "\(error)"])
        }
    }
}
