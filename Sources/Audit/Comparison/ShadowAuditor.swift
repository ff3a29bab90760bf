internal import BackgroundWork
internal import Dispatch
public import EventLog
internal import Foundation
internal import LMDB
public import LoyaltyCodec
internal import Projections
public import ReadModels
internal import Search
internal import Synchronization

/// Replays the log repeatedly in the background of a server, and compares every read model with the replay.
///
/// One thread of niceness 19 replays one model at a time, and pauses after each step for as long as the step took, at most a quarter of a
/// second. The snapshot of the rows begins only when the replay has reached the model's position, so that the model's file does not grow
/// meanwhile. A difference is reported at once, and then diagnosed by ``Bisection``.
///
/// ## Limitations
/// It needs the memory of the largest replayed model, and twice that for a diagnosis. Sorting and SQLite's checks are not interrupted by
/// ``stop()``. It reads through the server's stores, because LMDB must not open a folder twice, so pages are searched first; see
/// `ModelRunner.audited`. Findings are lost at a restart.
public final class ShadowAuditor: Sendable {
    struct Subject: Sendable {
        let comparison: Comparison
        let models: [any Projection.Type]
        /// Nil if the search database is not audited.
        let discovery: String?
        let bisection: Bisection
        var live: ReadModels?
    }

    /// Until the first run, the models catch up with the log. A shorter interval of the schedule replaces it.
    private static let firstRunSeconds = 60.0
    private static let restSecondsMax = 0.25

    private struct State: Sendable {
        var status: AuditStatus
        var isStarted = false
        var isStopping = false

        /// Returns false if it was called before.
        mutating func start() -> Bool {
            defer { isStarted = isStarted || !isStopping }
            return !isStarted && !isStopping
        }
    }

    private let log: EventLog
    private let subject: Subject
    private let schedule: AuditSchedule
    private let tell: @Sendable (AuditNews) -> Void
    /// A replay would meet known damage.
    private let isLogWhole: @Sendable () -> Bool
    private let state: Mutex<State>
    /// Signalled once by ``stop()``, to end a pause.
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()

    /// - Parameters:
    ///   - isLogWhole: no model is compared while this is false.
    ///   - models: MUST NOT be closed before ``stop()``.
    public convenience init(
        _ models: ReadModels, in data: DataFolder, log: EventLog, schedule: AuditSchedule,
        tell: @escaping @Sendable (AuditNews) -> Void = { _ in }, isLogWhole: @escaping @Sendable () -> Bool = { true }
    ) {
        let subject = Subject(
            comparison: Comparison(live: models, log: log), models: ReadModels.models, discovery: data.models,
            bisection: Bisection(models: data.models, scratch: data.derived + "/audit/server", log: log), live: models)
        self.init(subject, log: log, schedule: schedule, tell: tell, isLogWhole: isLogWhole)
    }

    init(
        _ subject: Subject, log: EventLog, schedule: AuditSchedule, tell: @escaping @Sendable (AuditNews) -> Void = { _ in },
        isLogWhole: @escaping @Sendable () -> Bool = { true }
    ) {
        (self.subject, self.log, self.schedule, self.tell, self.isLogWhole) = (subject, log, schedule, tell, isLogWhole)
        let names = subject.models.map { $0.name } + (subject.discovery == nil ? [] : [Discovery.name])
        state = Mutex(State(status: AuditStatus(names.map { AuditedModel(name: $0) })))
    }

    /// The auditor's findings since the server started.
    public var status: AuditStatus { state.withLock { $0.status } }

    /// Call at most once.
    public func start() {
        guard let every = schedule.seconds, state.withLock({ $0.start() }) else { return }
        AwaitedThread.start("audit", in: ended) { [self] in
            LowPriority.begin()
            repeatRuns(everySeconds: Double(every))
        }
    }

    /// Ends the present run after its range of events, and waits for the thread. MUST be called before the models are closed.
    @available(*, noasync)
    public func stop() {
        let waits = state.withLock { state in
            defer { state.isStopping = true }
            return state.isStarted && !state.isStopping
        }
        guard waits else { return }
        wake.signal()
        ended.wait()
    }

    private func repeatRuns(everySeconds every: Double) {
        var pause = min(every, Self.firstRunSeconds)
        while rest(seconds: pause) {
            let start = ContinuousClock.now
            run()
            pause = max(0, every - (ContinuousClock.now - start) / .seconds(1))
        }
    }

    /// Returns false, at once, if the auditor must stop.
    private func rest(seconds: Double) -> Bool { !isStopping && !wake.wait(seconds: seconds) }

    var isStopping: Bool { state.withLock { $0.isStopping } }

    func run() {
        let start = ContinuousClock.now
        guard isLogWhole() else { return }
        for model in subject.models where !isStopping { audit(model.name) { audit(model) } }
        if let models = subject.discovery, !isStopping { audit(Discovery.name) { audit(discoveryIn: models) } }
        guard !isStopping else { return }
        let status = state.withLock { state in
            state.status.runs += 1
            state.status.lastSeconds = (ContinuousClock.now - start) / .seconds(1)
            return state.status
        }
        tell(.finished(status))
    }

    /// Compares a model, unless pages of its file are damaged.
    ///
    /// - Parameter body: returns the details of damage that it has found in a row.
    private func audit(_ model: String, _ body: () -> String?) {
        guard let live = subject.live else { return _ = body() }
        SearchStop.when({ [self] in isStopping }) { live.audited(model, body) }
    }

    private func audit<Model: Projection>(_ model: Model.Type) -> String? {
        attempt(Model.name) { (step) throws(AuditError) in
            try subject.comparison.verdict(of: model, step: step)
        } diagnose: { (difference, step) throws(AuditError) in
            try subject.bisection.diagnosis(of: difference, in: model, step: step)
        }
    }

    private func audit(discoveryIn models: String) -> String? {
        attempt(Discovery.name) { (step) throws(AuditError) in
            try DiscoveryComparison(models: models, log: log).verdict(step: step)
        } diagnose: { (difference, step) throws(AuditError) in
            try subject.bisection.diagnosis(ofDiscovery: difference, step: step)
        }
    }

    private typealias Step = (Position) throws(AuditError) -> Void

    /// - Returns: damage to an open model, which is rebuilt and is no difference to report.
    private func attempt(
        _ name: String, compare: (Step) throws(AuditError) -> ModelVerdict,
        diagnose: (ModelDifference, Step) throws(AuditError) -> Diagnosis
    ) -> String? {
        var lastRest = ContinuousClock.now
        let step: Step = { (_) throws(AuditError) in
            let worked = (ContinuousClock.now - lastRest) / .seconds(1)
            guard self.rest(seconds: min(worked, Self.restSecondsMax)) else {
                throw AuditError(.stopped, "the auditor was stopped.", remedy: "A later run goes through everything.")
            }
            lastRest = ContinuousClock.now
        }
        do throws(AuditError) {
            let verdict = try compare(step)
            if subject.live != nil, case .different(let damage) = verdict, damage.kind == .damaged { return damage.detail ?? "\(damage)" }
            guard let difference = note(verdict, of: name) else { return nil }
            let diagnosis = try diagnose(difference, step)
            change(name) { $0.diagnosis = diagnosis }
            tell(.diagnosis(diagnosis))
        } catch {
            guard error.code != .stopped else { return nil }
            change(name) { $0.failure = "\(error)" }
            tell(.failure(model: name, error))
        }
        return nil
    }

    /// Returns a difference that was not diagnosed before.
    private func note(_ verdict: ModelVerdict, of name: String) -> ModelDifference? {
        switch verdict {
        case .equal(let position, _):
            let before = change(name) { $0 = AuditedModel(name: name, position: position) }
            if before?.mismatch != nil { tell(.mended(model: name)) }
            return nil
        case .different(let difference):
            let before = change(name) { model in
                let diagnosis = model.mismatch?.isOfSameRow(as: difference) == true ? model.diagnosis : nil
                model = AuditedModel(name: name, position: difference.position, mismatch: difference)
                model.diagnosis = diagnosis
            }
            tell(.mismatch(difference))
            guard let before, let known = before.mismatch, known.isOfSameRow(as: difference) else { return difference }
            return before.diagnosis == nil ? difference : nil
        }
    }

    /// Returns the previous status.
    @discardableResult
    private func change(_ name: String, _ body: (inout AuditedModel) -> Void) -> AuditedModel? {
        state.withLock { state in
            guard let index = state.status.models.firstIndex(where: { $0.name == name }) else { return nil }
            let before = state.status.models[index]
            body(&state.status.models[index])
            return before
        }
    }
}

extension ModelDifference {
    /// Ignores the model's position and the details.
    fileprivate func isOfSameRow(as other: ModelDifference) -> Bool {
        (kind, table, key, stored, expected) == (other.kind, other.table, other.key, other.stored, other.expected)
    }
}

/// How often a server compares its read models with the log.
public struct AuditSchedule: Hashable, Sendable, CustomStringConvertible {
    /// Seconds between the starts of runs; nil for none. After a longer run, the next one starts at its end.
    public let seconds: Int?

    public static let standard = AuditSchedule(seconds: 3_600)
    public static let off = AuditSchedule(seconds: nil)

    private static let units = [("h", 3_600), ("m", 60), ("s", 1)]
    private static let secondsMax = 30 * 86_400

    private init(seconds: Int?) { self.seconds = seconds }

    /// Parses `every:1h`, `every:15m`, `every:30s`, up to thirty days, or `off`.
    public init?(text: String) {
        if text == "off" {
            self = .off
            return
        }
        guard text.hasPrefix("every:"), let unit = Self.units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        let digits = text.dropFirst("every:".count).dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), number > 0,
            number <= Self.secondsMax / unit.1
        else { return nil }
        self.init(seconds: number * unit.1)
    }

    public var description: String {
        guard let seconds else { return "off" }
        let unit = Self.units.first { seconds % $0.1 == 0 } ?? ("s", 1)
        return "every:\(seconds / unit.1)\(unit.0)"
    }
}
