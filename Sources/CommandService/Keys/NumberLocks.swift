import Synchronization

/// Excludes concurrent registrations with a number from a change of an account's number to it, until claim and event are both stored.
///
/// A claim is durable before its event. Without the lock, another request could find a claim without an event, mistake it for a leftover of
/// a crash, and release it; then two accounts would have one number. Registrations of one number share the lock, because they agree on one
/// account. The locks are in memory only: after a crash, the next start settles claims by the log.
final class NumberLocks: Sendable {
    /// The number of holders that share each name; -1 if one holds it exclusively.
    private let holders = Mutex<[UInt128: Int]>([:])

    /// Takes a name shared; false if it is held exclusively.
    func share(_ name: UInt128) -> Bool {
        holders.withLock { holders in
            guard holders[name, default: 0] >= 0 else { return false }
            holders[name, default: 0] += 1
            return true
        }
    }

    func endSharing(_ name: UInt128) {
        holders.withLock { holders in
            let left = holders[name, default: 1] - 1
            holders[name] = left > 0 ? left : nil
        }
    }

    /// Takes all of the names exclusively, or none of them.
    func hold(_ names: Set<UInt128>) -> Bool {
        holders.withLock { holders in
            guard names.allSatisfy({ holders[$0] == nil }) else { return false }
            for name in names { holders[name] = -1 }
            return true
        }
    }

    func release(_ names: Set<UInt128>) {
        holders.withLock { holders in
            for name in names { holders[name] = nil }
        }
    }
}
