import Synchronization

/// Locks on phone numbers, held by registrations and changes of number until the claim and the event are stored.
///
/// Without the lock, another request could mistake a claim before its event for the remains of a crash and release it, and two accounts
/// would have one number. Registrations share the lock, because they agree on one account.
package final class NumberLocks: Sendable {
    /// The number of sharers of each number's keyed hash; -1 if one holder has it alone.
    private let holders = Mutex<[UInt128: Int]>([:])

    package init() {}

    /// Returns false, without a lock, if another holder has the number alone.
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

    /// Locks all these numbers exclusively. Returns false, and locks none, if any is locked.
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
