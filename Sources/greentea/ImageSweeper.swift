import Audit
import CommandService
import Composition
import Logging
import Loyalty
import LoyaltyCodec
import ServiceLifecycle
import ServiceLog
import Synchronization

/// At the start and once a day, removes the pictures to which nothing in the log refers.
struct ImageSweeper: Service {
    private static let hours = 24

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            while true {
                guard service.isLogWhole else {
                    try await Task.sleep(for: .seconds(1))
                    continue
                }
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

/// Counts the shown pictures whose files are gone or damaged, as long as the service runs, on a thread of the lowest priority. New ones
/// are logged.
struct PictureWatch: Service {
    /// Seconds between two counts, unless a count takes so long that ``restFactor`` gives more.
    private static let seconds = 60
    /// The pause after a count as a multiple of its duration, because a count reads every shown picture.
    private static let restFactor = 20

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var known: Set<ImageID> = []
            while true {
                guard service.isLogWhole else {
                    try await Task.sleep(for: .seconds(1))
                    continue
                }
                let start = ContinuousClock.now
                // An error is of the log, about which others report; the count is repeated.
                if let missing = await count() {
                    let new = missing.subtracting(known)
                    if let first = new.min() { tell(first, new.count) }
                    known = missing
                }
                try await Task.sleep(for: max(.seconds(Self.seconds), (.now - start) * Self.restFactor))
            }
        }
        // Waits for the shutdown, because all services of the group end when one returns.
        try? await gracefulShutdown()
    }

    private func count() async -> Set<ImageID>? {
        let found = Mutex<Set<ImageID>?>(nil)
        await ServerInspection.atLowPriority {
            let missing = try? service.missingImages { ServerInspection.isStopping }
            found.withLock { $0 = missing }
        }
        return found.withLock { $0 }
    }

    private func tell(_ first: ImageID, _ count: Int) {
        logger.report(
            .imagesMissing, at: .error, "files of shown pictures are gone or damaged",
            [
                "count": "\(count)", "first": "\(first.text)",
                "remedy": "greentea-audit verify names their files: take them from a backup, see GreenTeaPicturesMissing in the runbook.",
            ])
    }
}

/// Whether the shutdown has begun.
private final class Stop: Sendable {
    let isRequested = Atomic(false)
}
