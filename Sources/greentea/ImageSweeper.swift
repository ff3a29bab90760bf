import CommandService
import Composition
import Logging
import ServiceLifecycle
import ServiceLog

/// At the start and once a day, removes the pictures to which nothing in the log refers.
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
        // Waits for the shutdown, because all services of the group end when one returns.
        try? await gracefulShutdown()
    }

    /// Removes the pictures. If this fails, it is repeated a day later; until then, the pictures only take space on the disk.
    private func sweep() async {
        do {
            let count = try await service.sweepImages()
            if count > 0 { logger.report(.imagesSwept, at: .info, "unused images were removed", ["count": "\(count)"]) }
        } catch {
            logger.report(.imagesNotSwept, at: .warning, "unused images could not be removed", ["error": "\(error)"])
        }
    }
}
