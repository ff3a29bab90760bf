import CommandService
public import EventLog
public import Loyalty
internal import Synchronization

/// The position of each account's last accepted write, and of the last change of its cards by others. Kept in memory only.
///
/// Answers to writes do not wait for read models. An account's own reads wait instead: a model that has reached this position shows all of
/// the account's writes. If the model is already beyond it, the check costs a comparison.
///
/// Bounded: accounts are kept in two generations, and the older one is dropped as a whole. An account that is not remembered is then
/// treated like the dropped account that wrote last, so that no write is overlooked. Its reads wait needlessly only while a model is behind
/// that position, which takes a model that stood still while more accounts wrote than are remembered. Any thread may call.
public final class OwnWrites: Sendable {
    private struct State {
        var young: [AccountID: Position] = [:]
        var old: [AccountID: Position] = [:]
        /// The highest position that was ever noted.
        var highest: Position?
        /// The highest position when `old` was set apart, and when the generation before it was. No dropped account has written after the
        /// latter.
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

    /// - Parameter limit: accounts of each generation.
    package init(limit: Int = Limits.ownWritesMax) { self.limit = limit }

    /// Remembers an accepted write. MUST be called before its answer is sent.
    ///
    /// The holders of its cards wait for it, too: the log shows a counter's change of a card at once, and the holder's list of cards must
    /// not contradict that.
    func note(_ acceptance: Acceptance, of account: AccountID) {
        note(acceptance.position, of: account)
        for card in acceptance.cards where card.holder != account { note(acceptance.position, of: card.holder) }
    }

    /// A position below the last one, from a request that was answered before, changes nothing.
    func note(_ position: Position, of account: AccountID) {
        state.withLock { state in
            let last = state.lastPosition(of: account) ?? .start
            if state.young.count >= limit, state.young[account] == nil { state.setApart() }
            state.young[account] = max(position, last)
            state.highest = max(position, state.highest ?? .start)
        }
    }

    /// The position that an answer to the account MUST have reached to show its own writes; nil if it has written nothing.
    public func lastPosition(of account: AccountID) -> Position? { state.withLock { $0.lastPosition(of: account) } }

    /// The number of accounts that are remembered.
    package var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
