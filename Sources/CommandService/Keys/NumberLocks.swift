import Synchronization

/// Locks on phone numbers. While a registration with a number runs, no account can change its number to that one, and vice versa, until
/// both the claim and the event are stored.
///
/// A claim is durable before its event. Without the lock, another request could find the claim without an event, take it for the remains of
/// a crash, and release it. Then two accounts would have one number. Registrations of one number may hold the lock together, because they
/// agree on one account. Locks are in memory only: after a crash, the next start corrects the claims by the log.
package final class NumberLocks: Sendable {
    /// The number of holders that share each name; -1 if one holder has it alone.
    private let holders = Mutex<[UInt128: Int]>([:])

    package init() {}

    /// Shares the lock on a name with other holders. False if one holder has the name alone.
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

    /// Locks all names, each for this holder alone. False, and no lock, if another holder has one of them.
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
