import Synchronization

/// Locks on phone numbers. While a person registers with a number, no account can change its own number to that number. While an account
/// changes its number, nobody can register with the new number. Registrations and changes hold the lock until the claim and the event are
/// stored.
///
/// A claim is durable before its event. Without the lock, another request could find the claim without an event, mistake it for the remains
/// of a crash, and release it. Then two accounts would have one number. Registrations of one number may hold the lock together, because
/// they agree on one account. Locks are in memory only: after a crash, the next start corrects the claims by the log.
package final class NumberLocks: Sendable {
    /// The number of holders that share the lock on each number, by the number's keyed hash (its name in the key store); -1 if one holder
    /// has the lock alone.
    private let holders = Mutex<[UInt128: Int]>([:])

    package init() {}

    /// Shares the lock on a number with other holders. Returns false, and takes no lock, if another holder has the lock alone.
    package func share(_ name: UInt128) -> Bool {
        holders.withLock { holders in
            guard holders[name, default: 0] >= 0 else { return false }
            holders[name, default: 0] += 1
            return true
        }
    }

    /// Releases what ``share(_:)`` locked.
    package func endSharing(_ name: UInt128) {
        holders.withLock { holders in
            let left = holders[name, default: 1] - 1
            holders[name] = left > 0 ? left : nil
        }
    }

    /// Locks all these numbers, each for this holder alone. Returns false, and locks none, if another holder has a lock on any of them.
    package func hold(_ names: Set<UInt128>) -> Bool {
        holders.withLock { holders in
            guard names.allSatisfy({ holders[$0] == nil }) else { return false }
            for name in names { holders[name] = -1 }
            return true
        }
    }

    /// Releases what ``hold(_:)`` locked.
    package func release(_ names: Set<UInt128>) {
        holders.withLock { holders in
            for name in names { holders[name] = nil }
        }
    }
}
