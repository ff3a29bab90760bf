import CommandService
import Composition
import Logging
import ServiceLifecycle
import ServiceLog

/// At the start and once a day, removes pictures that nothing shows.
struct ImageSweeper: Service {
    private static let hours = 24

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                await sweep()
                try await Task.sleep(for: .seconds(Self.hours * 3_600))
            }
        }
        // Waits for the shutdown, because a service that returns ends all others.
        try? await gracefulShutdown()
    }

    /// Removes the pictures. A failed sweep is repeated a day later, and until then only costs disk space.
    private func sweep() async {
        do {
            let count = try await service.sweepImages()
            if count > 0 { logger.report(.imagesSwept, at: .info, "unused images were removed", ["count": "\(count)"]) }
        } catch {
            logger.report(.imagesNotSwept, at: .warning, "unused images could not be removed", ["error": "\(error)"])
        }
    }
}
