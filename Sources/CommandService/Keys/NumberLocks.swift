import Synchronization

/// Excludes concurrent registrations with a number from a change of an account's number to it, until claim and event are both stored.
///
/// A claim is durable before its event. Without the lock, somebody else could find a claim without an event, take it for a leftover of a
/// crash, and release it; then two accounts would have one number. Registrations of one number share it, because they agree on one
/// account. Memory only: a crash ends whatever was on the way, and the next start settles claims by the log.
package final class NumberLocks: Sendable {
    /// How many share each name; -1 where one holds it alone.
    private let holders = Mutex<[UInt128: Int]>([:])

    package init() {}

    /// Takes a name together with others; false if somebody holds it alone.
    package func share(_ name: UInt128) -> Bool {
        holders.withLock { holders in
            guard holders[name, default: 0] >= 0 else { return false }
            holders[name, default: 0] += 1
            return true
        }
    }

    /// Gives back what ``share(_:)`` took.
    package func endSharing(_ name: UInt128) {
        holders.withLock { holders in
            let left = holders[name, default: 1] - 1
            holders[name] = left > 0 ? left : nil
        }
    }

    /// Takes all of the names alone, or none of them.
    package func hold(_ names: Set<UInt128>) -> Bool {
        holders.withLock { holders in
            guard names.allSatisfy({ holders[$0] == nil }) else { return false }
            for name in names { holders[name] = -1 }
            return true
        }
    }

    /// Gives back what ``hold(_:)`` took.
    package func release(_ names: Set<UInt128>) {
        holders.withLock { holders in
            for name in names { holders[name] = nil }
        }
    }
}
