package import EventLog
package import Seeds
internal import Synchronization

/// A shared log in memory. Its network loses requests and answers, and delivers requests late and twice.
package final class MemorySharedLog: SharedLog {
    package typealias Act = @Sendable () throws -> Void

    package enum Fault: CaseIterable, Sendable {
        /// The request is never carried out.
        case requestLost
        /// The request is carried out.
        case answerLost
        /// The request may be carried out at a later call.
        case late
        /// The request is carried out and answered, and arrives once more at a later call.
        case duplicated
    }

    private struct Request {
        let old: Head?
        let new: Head
        let entry: Entry?
    }

    /// The mutex `state` guards these fields.
    private struct State {
        var heads: [Head] = []
        var entries: [Entry] = []
        var late: [Request] = []
        var faults: [Fault] = []
        var random: SeededRandom?
        var isDown = false
        var refusesClaims = false
        var requests = 0
        var trims: [Position] = []
        var trimFailure: EventLogError?

        mutating func nextFault() -> Fault? {
            if !faults.isEmpty { return faults.removeFirst() }
            guard random?.percent(40) == true else { return nil }
            return random?.pick(Fault.allCases)
        }

        mutating func carryOut(_ request: Request) -> SharedLogAnswer {
            guard heads.last?.bytes == request.old?.bytes, request.entry != nil || !refusesClaims else { return .superseded(heads.last) }
            heads.append(request.new)
            if let entry = request.entry { entries.append(entry) }
            return .durable
        }

        mutating func deliverLate() {
            for request in late { _ = carryOut(request) }
            late = []
        }

        mutating func deliverPerhaps() { if random?.oneIn(2) == true { deliverLate() } }
    }

    private let state: Mutex<State>
    private let acts = Mutex<(requests: [Act], reads: [Act])>(([], []))

    /// - Parameter random: makes many of the calls fail; nil for failures by ``failNext(_:)`` only.
    package init(failingBy random: SeededRandom? = nil) { state = Mutex(State(random: random)) }

    /// All heads that were ever stored, and not rolled back.
    package var heads: [Head] { state.withLock { $0.heads } }
    package var entries: [Entry] { state.withLock { $0.entries } }
    /// The appends and claims that were sent.
    package var requests: Int { state.withLock { $0.requests } }
    package var trims: [Position] { state.withLock { $0.trims } }

    package func failNext(_ faults: Fault...) { state.withLock { $0.faults = faults } }

    /// Runs these closures before the next appends and claims, one before each.
    package func beforeRequests(_ acts: Act...) { self.acts.withLock { $0.requests = acts } }

    /// Runs a closure before the next read of the head.
    package func beforeRead(_ act: @escaping Act) { acts.withLock { $0.reads = [act] } }

    package func deliverLate() { state.withLock { $0.deliverLate() } }

    /// Leaves every call without an answer.
    package func goDown() { state.withLock { $0.isDown = true } }

    /// Refuses to remove entries, or removes them again.
    package func failTrims(by failure: EventLogError?) { state.withLock { $0.trimFailure = failure } }

    /// Answers claims as an engine to which another writer seems alive.
    package func refuseClaims() { state.withLock { $0.refusesClaims = true } }

    /// Restores an older state, as a snapshot does.
    package func rollBack(to position: Position) {
        state.withLock { state in
            state.entries.removeAll { $0.last > position }
            state.heads = Array(state.heads.prefix { $0.position <= position })
        }
    }

    package func removeEverything() { state.withLock { ($0.heads, $0.entries) = ([], []) } }

    package func replaceHead(_ head: Head) { state.withLock { $0.heads[$0.heads.count - 1] = head } }

    private static var lost: EventLogError { EventLogError(.unreachable, "injected") }

    package func head() throws(EventLogError) -> Head? {
        try run(acts.withLock { $0.reads.popLast() })
        return try state.withLock { (state) throws(EventLogError) in
            state.deliverPerhaps()
            if state.isDown || state.random?.oneIn(4) == true { throw Self.lost }
            return state.heads.last
        }
    }

    package func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer {
        try answer(Request(old: old, new: old.advanced(by: entry), entry: entry))
    }

    package func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
        try answer(Request(old: old, new: new, entry: nil))
    }

    private func answer(_ request: Request) throws(EventLogError) -> SharedLogAnswer {
        try run(acts.withLock { $0.requests.isEmpty ? nil : $0.requests.removeFirst() })
        return try state.withLock { (state) throws(EventLogError) in
            state.deliverPerhaps()
            state.requests += 1
            if state.isDown { throw Self.lost }
            let fault = state.nextFault()
            if fault == .late || fault == .duplicated { state.late.append(request) }
            if fault == .late || fault == .requestLost { throw Self.lost }
            let answer = state.carryOut(request)
            if fault == .answerLost { throw Self.lost }
            return answer
        }
    }

    /// Not under the lock, because the closure may call this log.
    private func run(_ act: Act?) throws(EventLogError) {
        do { try act?() } catch { throw EventLogError(.io, "a test's closure: \(error)") }
    }

    package func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        let (newest, entries) = state.withLock { ($0.heads.last?.position ?? .start, $0.entries) }
        if position > newest { throw EventLogError(engineAt: newest, behind: position) }
        if position < newest, entries.allSatisfy({ $0.last <= position }) { throw EventLogError(trimmed: position.next...newest) }
        var (found, total): ([[UInt8]], Int) = ([], 0)
        for entry in entries where entry.last > position {
            if !found.isEmpty, total + entry.bytes.count > bytes { break }
            found.append(entry.bytes)
            total += entry.bytes.count
        }
        return found
    }

    package func trim(through position: Position) throws(EventLogError) {
        try state.withLock { (state) throws(EventLogError) in
            if let failure = state.trimFailure { throw failure }
            state.trims.append(position)
            state.entries.removeAll { $0.last <= position }
        }
    }
}
