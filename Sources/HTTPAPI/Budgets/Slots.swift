import Synchronization

/// Room for so many at once, and no more. Any task may ask.
final class Slots: Sendable {
    private let taken = Mutex(0)
    private let limit: Int

    init(_ limit: Int) {
        self.limit = limit
    }

    /// Takes a place, which MUST be given back.
    ///
    /// - Throws: `overloaded` where all are taken.
    func take() throws(Problem) {
        let isFree = taken.withLock { taken in
            guard taken < limit else { return false }
            taken += 1
            return true
        }
        guard isFree else { throw Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds) }
    }

    func giveBack() { taken.withLock { $0 -= 1 } }
}
