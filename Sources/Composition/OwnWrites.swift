import CommandService
public import EventLog
public import Loyalty
internal import Synchronization

/// The position of each account's last accepted write, and of the last change of its cards by others; in memory only.
///
/// An account's own reads wait until the model has reached this position. Of two generations of accounts the older is dropped as a whole,
/// and its accounts count as the one that wrote last, so that no write is overlooked. Any thread may call.
public final class OwnWrites: Sendable {
    private struct State {
        var young: [AccountID: Position] = [:]
        var old: [AccountID: Position] = [:]
        var highest: Position?
        /// The highest positions when `old` and its predecessor became the older generation. No dropped account wrote after `forgotten`.
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

    /// - Parameter limit: of accounts in each generation.
    package init(limit: Int = Limits.ownWritesMax) { self.limit = limit }

    /// MUST be called before the answer is sent.
    ///
    /// Holders of changed cards wait as well: the list of cards must agree with the log, which shows a card's change at once.
    func note(_ acceptance: Acceptance, of account: AccountID) {
        note(acceptance.position, of: account)
        for card in acceptance.cards where card.holder != account { note(acceptance.position, of: card.holder) }
    }

    /// Ignores the lower position of a request that was answered before.
    ///
    /// The position of a write at another node may be beyond this node's head.
    package func note(_ position: Position, of account: AccountID) {
        state.withLock { state in
            let last = state.lastPosition(of: account) ?? .start
            if state.young.count >= limit, state.young[account] == nil { state.setApart() }
            state.young[account] = max(position, last)
            state.highest = max(position, state.highest ?? .start)
        }
    }

    /// A model MUST have reached it before it answers the account.
    public func lastPosition(of account: AccountID) -> Position? { state.withLock { $0.lastPosition(of: account) } }

    package var count: Int { state.withLock { $0.young.count + $0.old.count } }
}
