import Caches
import CommandService
import Dispatch
import Loyalty
import Synchronization

/// Slots for concurrent work, shared fairly by accounts and addresses; see `SharedPool`. Any task may call.
final class Slots: Sendable {
    private let pool: Mutex<SharedPool<@Sendable () -> Void>>
    private let clock: any Clock

    init(_ terms: PoolTerms, clock: any Clock) {
        pool = Mutex(SharedPool(terms))
        self.clock = clock
    }

    /// - Parameter end: ends the work if another client takes the slot; nil to end the current task's request.
    /// - Throws: `overloaded` if no slot is free for this account and address.
    func take(as share: PoolShare = PoolClient.share, end: (@Sendable () -> Void)? = nil) throws(Problem) -> Slot {
        let (now, client) = (clock.steady().microseconds, PoolClient.current)
        let end = end ?? { client?.end() }
        let added = pool.withLock { $0.add(end, of: share, at: now) }
        guard let (id, displaced) = added else {
            throw Problem(.overloaded, retryAfterSeconds: Limits.slotRetrySeconds)
        }
        for end in displaced { end() }
        return Slot(self, id)
    }

    fileprivate func giveBack(_ id: UInt64) { pool.withLock { _ = $0.remove(id) } }

    fileprivate func progressed(_ id: UInt64, bytes: Int) {
        let now = clock.steady().microseconds
        pool.withLock { $0.progress(id, units: bytes, at: now) }
    }
}

struct WorkSlots: Sendable {
    /// Also photos of codes.
    let pictures: Slots
    let pictureFiles: Slots
    /// Drawn or waiting.
    let sheets: Slots
    let exports: Slots
    /// Reports on several shops, and the order in which they begin.
    let reports: Slots
    let reportLine = FairLine(.reportLine, running: Limits.reportsBegunMax)
    let shopReports: Slots
    /// Also long answers about one shop.
    let searches: Slots

    init(clock: any Clock) {
        func slots(_ pool: Pools) -> Slots { Slots(pool.terms, clock: clock) }
        (pictures, pictureFiles, sheets, exports) = (slots(.pictures), slots(.pictureFiles), slots(.sheets), slots(.exports))
        (reports, shopReports, searches) = (slots(.reports), slots(.shopReports), slots(.searches))
    }
}

/// A taken slot, given back at the latest when nothing refers to it, so the handler of an answer that is never written need not care.
final class Slot: Sendable {
    private let slots: Slots
    private let id: UInt64

    fileprivate init(_ slots: Slots, _ id: UInt64) { (self.slots, self.id) = (slots, id) }

    deinit { giveBack() }

    /// Does nothing the second time.
    func giveBack() { slots.giveBack(id) }

    /// Moved bytes keep the slot from counting as stalled.
    func progressed(bytes: Int) { slots.progressed(id, bytes: bytes) }
}

/// A thread that does clients' work by turns of addresses and accounts. The callers bound the waiting work.
final class FairThread: Sendable {
    private static let name = DispatchSpecificKey<String>()

    private let thread: DispatchQueue
    private let waiting: Mutex<SharedPool<@Sendable () -> Void>>

    init(_ label: String, _ declared: Pools, qos: DispatchQoS = .unspecified) {
        thread = DispatchQueue(label: label, qos: qos)
        thread.setSpecific(key: Self.name, value: label)
        waiting = Mutex(SharedPool(declared.terms))
    }

    static func isHere(_ label: String) -> Bool { DispatchQueue.getSpecific(key: name) == label }

    var waitingCount: Int { waiting.withLock { $0.count } }

    func async(as share: PoolShare = PoolClient.share, _ work: @escaping @Sendable () -> Void) {
        guard waiting.withLock({ $0.add(work, of: share) }) != nil else { return thread.async(execute: work) }
        thread.async { [self] in waiting.withLock { $0.next() }?() }
    }
}

/// Clients' work, a few pieces at a time, by turns as in ``FairThread``. The callers bound the waiting work.
final class FairLine: Sendable {
    private struct State {
        var running = 0
        var waiting: SharedPool<CheckedContinuation<Void, Never>>
    }

    private let state: Mutex<State>
    private let runningMax: Int

    init(_ declared: Pools, running: Int) {
        state = Mutex(State(waiting: SharedPool(declared.terms)))
        runningMax = running
    }

    var waiting: Int { state.withLock { $0.waiting.count } }

    /// Waits for a turn, which MUST be ended with ``end()``.
    func turn() async {
        let share = PoolClient.share
        await withCheckedContinuation { continuation in
            let waits = state.withLock { state in
                if state.running >= runningMax, state.waiting.add(continuation, of: share) != nil { return true }
                state.running += 1
                return false
            }
            if !waits { continuation.resume() }
        }
    }

    func end() {
        let next = state.withLock { state in
            let next = state.waiting.next()
            if next == nil { state.running -= 1 }
            return next
        }
        next?.resume()
    }
}
