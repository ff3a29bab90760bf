import CommandService
public import EventLog
public import Loyalty
internal import Synchronization

/// The position of each account's last accepted write, and of the last change of its cards by others. The positions are kept in memory
/// only.
///
/// Answers to writes do not wait for read models. Instead, an account's own reads wait until the model has reached this position, and so
/// includes all of the account's writes. If the model is already beyond it, the check is a single comparison.
///
/// Accounts are kept in two generations of limited size, and the older generation is dropped as a whole. An account that is not remembered
/// is then treated like the dropped account that wrote last, so that no write is overlooked. Its reads wait needlessly only if a model has
/// fallen behind by more writes than are remembered. Any thread may call.
public final class OwnWrites: Sendable {
    private struct State {
        var young: [AccountID: Position] = [:]
        var old: [AccountID: Position] = [:]
        /// The highest position that was ever recorded.
        var highest: Position?
        /// `highestOfOld` is the highest position when `old` became the older generation. `forgotten` is the highest position when the
        /// generation before `old` became the older one, so no dropped account has written after `forgotten`.
        var (highestOfOld, forgotten): (Position?, Position?)

        func lastPosition(of account: AccountID) -> Position? { young[account] ?? old[account] ?? forgotten }

        mutating func setApart() {
            (forgotten, highestOfOld) = (highestOfOld, highest)
            swap(&old, &young)
            young.removeAll(keepingCapacity: true)
        }
    }

    private let state = Mutex(State())
    private let limit: Int

    /// Creates a memory without any account.
    ///
    /// - Parameter limit: the maximum number of accounts in each of the two generations.
    package init(limit: Int = Limits.ownWritesMax) { self.limit = limit }

    /// Remembers an accepted write. MUST be called before its answer is sent.
    ///
    /// The next reads by holders of changed cards also wait for it. A card itself is read from the log, which has a change made at a
    /// counter at once, and the holder's list of cards must agree with the log.
    func note(_ acceptance: Acceptance, of account: AccountID) {
        note(acceptance.position, of: account)
        for card in acceptance.cards where card.holder != account { note(acceptance.position, of: card.holder) }
    }

    /// Remembers the position of an account's write. A lower position than the last one has no effect: it comes from a request that was
    /// answered before.
    func note(_ position: Position, of account: AccountID) {
        state.withLock { state in
            let last = state.lastPosition(of: account) ?? .start
            if state.young.count >= limit, state.young[account] == nil { state.setApart() }
            state.young[account] = max(position, last)
            state.highest = max(position, state.highest ?? .start)
        }
    }

    /// The position that a model MUST have reached so that an answer to the account shows all of the account's own writes. For an account
    /// that is not remembered, this is a position after which no dropped account has written; nil if none was dropped.
    public func lastPosition(of account: AccountID) -> Position? { state.withLock { $0.lastPosition(of: account) } }

    /// The number of accounts that are remembered.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
