import Audit
import Console
import EventLog
import Projections
import ReadModels
import Search
import Synchronization

/// Runs rebuilds with a progress bar, and prints the results.
struct Work {
    let rebuild: Rebuild
    let log: EventLog
    let json: Bool

    /// Rebuilds several models, two at a time.
    ///
    /// - Throws: an error if the results could not be printed; the rebuilds are complete all the same.
    func models(_ task: Rebuild.Task, _ types: [any Projection.Type]) throws(OutputError) -> [Result<RebuildOutcome, ReadModelError>] {
        if types.isEmpty { return [] }
        let label = types.count == 1 ? types[0].name : "\(types.count) models"
        return try shown(label, types.map { $0.name }) { rebuild.all(task, of: types, $0) }
    }

    /// Rebuilds the discovery model, which has another storage engine than the other models.
    ///
    /// - Throws: as ``models(_:_:)``.
    func discovery(_ task: Rebuild.Task) throws(OutputError) -> Result<RebuildOutcome, ReadModelError> {
        try shown(Discovery.name, [Discovery.name]) { observe in
            [Result { () throws(ReadModelError) in try rebuild.discovery(task, observe) }]
        }[0]
    }

    /// Shows the progress of models, and then prints the results.
    private func shown(
        _ label: String, _ models: [String], _ work: (@escaping Rebuild.Observer) -> [Result<RebuildOutcome, ReadModelError>]
    ) throws(OutputError) -> [Result<RebuildOutcome, ReadModelError>] {
        let bar = ProgressBar(label: label, total: Int(clamping: log.head.rawValue) * models.count, unit: "events")
        let progress = Progress(models)
        let results = work { (model, step) throws(ReadModelError) in
            if let line = progress.note(model, step) { bar.advance(to: line.done, note: line.text) }
        }
        bar.finish()
        for case .success(let outcome) in results { try StandardOutput.say(SummaryText(outcome: outcome).text(json: json)) }
        return results
    }
}

/// The combined progress of several models, computed from their reports.
final class Progress: Sendable {
    /// The values for the progress bar: the number of events read, over all models; and the number of events by which the slowest model is
    /// behind the log's head, or the current step, such as a comparison.
    typealias Line = (done: Int, text: String)

    private struct State {
        var positions: [String: UInt64]
        var head: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ models: [String]) { state = Mutex(State(positions: Dictionary(models.map { ($0, 0) }) { first, _ in first })) }

    /// Records a step that a model's build reported.
    ///
    /// - Returns: the values to show; nil if nothing visible has changed.
    func note(_ model: String, _ step: BuildStep) -> Line? {
        state.withLock { state in
            switch step {
            case .opened(_, let position): state.positions[model] = position.rawValue
            case .advanced(let position, let head):
                state.positions[model] = position.rawValue
                state.head = max(state.head, head.rawValue)
            case .checking: return line(state, "comparing \(model)")
            case .offered: return line(state, "handing over \(model)")
            case .closed, .switched: return nil
            }
            let behind = state.positions.values.map { state.head - min(state.head, $0) }.max() ?? 0
            return line(state, "lag \(behind)")
        }
    }

    private func line(_ state: State, _ text: String) -> Line { (Int(clamping: state.positions.values.reduce(0, +)), text) }
}

/// The result of a rebuild, as text.
struct SummaryText {
    let outcome: RebuildOutcome

    func text(json: Bool) -> String {
        // The seconds are rounded to thousandths. They are printed without an exponent, and independently of the locale.
        let seconds = "\((outcome.seconds * 1_000).rounded() / 1_000)"
        let rate = "\(Int(outcome.rate))"
        if json {
            let previous = outcome.previous.map { "\"\($0)\"" } ?? "null"
            return #"{"model":"\#(outcome.model)","generation":"\#(outcome.generation)","previous":\#(previous),"#
                + #""position":\#(outcome.position),"events":\#(outcome.position),"resumedAt":\#(outcome.resumedAt),"#
                + #""applied":\#(outcome.applied),"rows":\#(outcome.rows),"seconds":\#(seconds),"eventsPerSecond":\#(rate),"#
                + #""switchedBy":"\#(outcome.switcher.rawValue)","digest":"\#(outcome.digest)"}"#
        }
        let resumed = outcome.resumedAt > .start ? "  from \(outcome.resumedAt)" : ""
        return "\(outcome.model)  \(outcome.generation)  events \(outcome.position)\(resumed)  applied \(outcome.applied)  "
            + "rows \(outcome.rows)  \(seconds) s  \(rate) events/s  switched by the \(outcome.switcher.rawValue)  digest \(outcome.digest)"
    }
}
