import EventLog
import Seeds
import Synchronization

/// A shared log in memory. Its network loses requests and answers, and delivers requests late and twice.
final class MemorySharedLog: SharedLog {
    typealias Act = @Sendable () throws -> Void

    enum Fault: CaseIterable, Sendable {
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
    init(failingBy random: SeededRandom? = nil) { state = Mutex(State(random: random)) }

    /// All heads that were ever stored, and not rolled back.
    var heads: [Head] { state.withLock { $0.heads } }
    var entries: [Entry] { state.withLock { $0.entries } }
    /// The appends and claims that were sent.
    var requests: Int { state.withLock { $0.requests } }

    func failNext(_ faults: Fault...) { state.withLock { $0.faults = faults } }

    /// Runs these closures before the next appends and claims, one before each.
    func beforeRequests(_ acts: Act...) { self.acts.withLock { $0.requests = acts } }

    /// Runs a closure before the next read of the head.
    func beforeRead(_ act: @escaping Act) { acts.withLock { $0.reads = [act] } }

    func deliverLate() { state.withLock { $0.deliverLate() } }

    /// Leaves every call without an answer.
    func goDown() { state.withLock { $0.isDown = true } }

    /// Answers claims as an engine to which another writer seems alive.
    func refuseClaims() { state.withLock { $0.refusesClaims = true } }

    /// Restores an older state, as a snapshot does.
    func rollBack(to position: Position) {
        state.withLock { state in
            state.entries.removeAll { $0.last > position }
            state.heads = Array(state.heads.prefix { $0.position <= position })
        }
    }

    func removeEverything() { state.withLock { ($0.heads, $0.entries) = ([], []) } }

    func replaceHead(_ head: Head) { state.withLock { $0.heads[$0.heads.count - 1] = head } }

    private static var lost: EventLogError { EventLogError(.unreachable, "injected") }

    func head() throws(EventLogError) -> Head? {
        try run(acts.withLock { $0.reads.popLast() })
        return try state.withLock { (state) throws(EventLogError) in
            state.deliverPerhaps()
            if state.isDown || state.random?.oneIn(4) == true { throw Self.lost }
            return state.heads.last
        }
    }

    func append(_ entry: Entry, replacing old: Head) throws(EventLogError) -> SharedLogAnswer {
        try answer(Request(old: old, new: old.advanced(by: entry), entry: entry))
    }

    func claim(replacing old: Head?, as new: Head) throws(EventLogError) -> SharedLogAnswer {
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

    func entries(after position: Position, bytes: Int) throws(EventLogError) -> [[UInt8]] {
        var (found, total): ([[UInt8]], Int) = ([], 0)
        for entry in entries where entry.first > position {
            if !found.isEmpty, total + entry.bytes.count > bytes { break }
            found.append(entry.bytes)
            total += entry.bytes.count
        }
        return found
    }

    func trim(through position: Position) throws(EventLogError) {
        state.withLock { state in state.entries.removeAll { $0.last <= position } }
    }
}

extension SharedCommit {
    private static let processes = Atomic<UInt64>(0)

    /// Retries at once.
    convenience init(_ engine: MemorySharedLog) {
        self.init(engine, key: .forTests, process: Self.processes.add(1, ordering: .relaxed).newValue) { _ in 0 }
    }
}

/// The steps that make a batch durable and with which the writer's tests run.
enum DurabilityKind: CaseIterable {
    case local
    case shared
    /// Many requests and answers are lost, late or doubled.
    case sharedWithFaults

    /// The options with this step, for a new log.
    func options(_ options: EventLog.Options = .init()) throws -> EventLog.Options {
        var options = options
        if self == .local { return options }
        let engine = MemorySharedLog(failingBy: self == .sharedWithFaults ? .announced("sharedWithFaults") : nil)
        let commit = SharedCommit(engine)
        try commit.claim(as: .a, at: .start, root: .ofNothing)
        options.durability = commit
        return options
    }
}
