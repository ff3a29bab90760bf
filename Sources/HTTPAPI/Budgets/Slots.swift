import Synchronization

/// Room for so many at once, of whom only some may be of one key. Any task may ask.
final class Slots<Key: Hashable & Sendable>: Sendable {
    private struct State {
        var count = 0
        var byKey: [Key: Int] = [:]
    }

    private let taken = Mutex(State())
    private let limit: Int
    private let perKey: Int

    init(_ limit: Int, perKey: Int) {
        (self.limit, self.perKey) = (limit, perKey)
    }

    /// Takes a place, which MUST be given back.
    ///
    /// - Throws: `overloaded` where all are taken, or all that one key may have.
    func take(_ key: Key) throws(Problem) {
        let isFree = taken.withLock { taken in
            guard taken.count < limit, taken.byKey[key, default: 0] < perKey else { return false }
            taken.count += 1
            taken.byKey[key, default: 0] += 1
            return true
        }
        guard isFree else { throw Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds) }
    }

    func giveBack(_ key: Key) {
        taken.withLock { taken in
            taken.count -= 1
            let left = taken.byKey[key, default: 1] - 1
            taken.byKey[key] = left > 0 ? left : nil
        }
    }
}
