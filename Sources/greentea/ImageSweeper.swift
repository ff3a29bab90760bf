import Audit
import CommandService
import Composition
import Logging
import Loyalty
import LoyaltyCodec
import ServiceLifecycle
import ServiceLog
import Synchronization

/// Removes pictures to which nothing in the log refers, at the start and once a day.
struct ImageSweeper: Service {
    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: ()) { _ in
            guard service.isLogWhole else { return .seconds(1) }
            await sweep()
            return .seconds(86_400)
        }
    }

    /// A failure is repeated a day later. At the shutdown, the sweep ends after the present picture, because many pictures would delay the
    /// end of the server, and of the services that end after this one.
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

/// Counts shown pictures whose files are gone or damaged, at the lowest priority, and logs new ones.
struct PictureWatch: Service {
    /// Unless ``restFactor`` gives more.
    private static let seconds = 60
    /// The pause after a count, in durations of the count, because a count reads every shown picture.
    private static let restFactor = 20

    let service: GreenTea
    let logger: Logger

    func run() async {
        await untilShutdown(from: Set<ImageID>()) { known in
            guard service.isLogWhole else { return .seconds(1) }
            let start = ContinuousClock.now
            // Others report errors of the log; the count is repeated.
            if let missing = await count() {
                let new = missing.subtracting(known)
                if let first = new.min() { report(first, new.count) }
                known = missing
            }
            return max(.seconds(Self.seconds), (.now - start) * Self.restFactor)
        }
    }

    private func count() async -> Set<ImageID>? {
        let found = Mutex<Set<ImageID>?>(nil)
        await ServerInspection.atLowPriority {
            let missing = try? service.missingImages { ServerInspection.isStopping }
            found.withLock { $0 = missing }
        }
        return found.withLock { $0 }
    }

    private func report(_ first: ImageID, _ count: Int) {
        logger.report(
            .imagesMissing, at: .error, "files of shown pictures are gone or damaged",
            [
                "count": "\(count)", "first": "\(first.text)",
                "remedy": "The runbook, GreenTeaPicturesMissing, takes them from a backup. greentea-audit verify names those of shops.",
            ])
    }
}

private final class Stop: Sendable {
    let isRequested = Atomic(false)
}
