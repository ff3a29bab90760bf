internal import Foundation
internal import Merkle

extension CheckpointKeeper {
    /// Starts the thread that signs while commits happen. Call at most once; ``close()`` ends it.
    ///
    /// - Parameter onFailure: told on that thread when a checkpoint could not be made, and not again before one could.
    public func start(onFailure: @escaping @Sendable (EventLogError) -> Void = { _ in }) {
        // Only lent, so that by the time that the thread is said to have ended it keeps no log open.
        let (loan, ended) = (Loan(self), ended)
        ended.enter()
        let thread = Thread {
            Self.run(loan, onFailure)
            ended.leave()
        }
        thread.name = "checkpoints"
        thread.start()
    }

    private static func run(_ loan: Loan<CheckpointKeeper>, _ onFailure: (EventLogError) -> Void) {
        guard let keeper = loan.take() else { return }
        var hasFailed = false
        while keeper.waitForCommit() {
            do throws(EventLogError) {
                _ = try keeper.sign()
                hasFailed = false
            } catch {
                if !hasFailed, error.code != .closed { onFailure(error) }
                hasFailed = true
            }
            // Whatever is committed meanwhile shares the next one.
            _ = keeper.wake.wait(seconds: keeper.intervalSeconds)
        }
    }

    /// Sleeps until something is committed that no checkpoint covers.
    ///
    /// - Returns: false when the keeper is closed, or nothing will be committed any more.
    private func waitForCommit() -> Bool {
        let signal = log.headSignal
        if isClosed || signal.isClosed { return false }
        let next = Position(latest.checkpoint.size).next
        // Not in line when there is something already. A wake for nothing does no harm.
        if signal.enqueue(signal.nextNumber(), next, nil, .thread(wake)) { wake.wait() }
        return !isClosed
    }
}
