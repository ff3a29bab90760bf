import Dispatch
import Synchronization

/// The bounded queue between everybody and the one writer.
///
/// Offering swaps nothing and waits for nobody; the writer takes all that waits in one swap, so whatever arrived while the last
/// flush ran is the next batch, without a timer.
final class WriterQueue: Sendable {
    /// What became of an offer.
    enum Offer {
        case taken
        case full
        case stopped
    }

    /// Guarded by `state`.
    private struct State {
        var waiting: [Waiter] = []
        var isStopped = false
        /// The writer sleeps, or is about to; whoever finds it so wakes it, once.
        var isWriterIdle = false
    }

    private let state = Mutex(State())
    private let wake = DispatchSemaphore(value: 0)
    private let limit: Int

    init(limit: Int) {
        self.limit = limit
    }

    /// Hands a waiter over, or says why not; a refused waiter is not kept.
    func offer(_ waiter: Waiter) -> Offer {
        let (offer, mustWake) = state.withLock { state -> (Offer, Bool) in
            guard !state.isStopped else { return (.stopped, false) }
            guard state.waiting.count < limit else { return (.full, false) }
            state.waiting.append(waiter)
            defer { state.isWriterIdle = false }
            return (.taken, state.isWriterIdle)
        }
        if mustWake { wake.signal() }
        return offer
    }

    /// Everything that waits, at most `max`, oldest first. Blocks while nothing waits; `nil` once stopped and empty.
    ///
    /// The writer alone calls this.
    func take(max: Int) -> [Waiter]? {
        while true {
            let taken = state.withLock { state -> [Waiter]? in
                if !state.waiting.isEmpty { return Self.takeFront(of: &state.waiting, max: max) }
                if state.isStopped { return [] }
                state.isWriterIdle = true
                return nil
            }
            if let taken { return taken.isEmpty ? nil : taken }
            wake.wait()
        }
    }

    /// How many wait now.
    var depth: Int { state.withLock { $0.waiting.count } }

    /// Refuses all further offers; what already waits is still worked off.
    func stop() {
        let mustWake = state.withLock { state in
            state.isStopped = true
            defer { state.isWriterIdle = false }
            return state.isWriterIdle
        }
        if mustWake { wake.signal() }
    }

    private static func takeFront(of waiting: inout [Waiter], max: Int) -> [Waiter] {
        guard waiting.count > max else {
            defer { waiting = [] }
            return waiting
        }
        let front = Array(waiting.prefix(max))
        waiting.removeFirst(max)
        return front
    }
}
