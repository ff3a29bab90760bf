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
        let name = types.count == 1 ? types[0].name : "\(types.count) models"
        let total = Int(clamping: log.head.rawValue) * types.count
        let bar = ProgressBar(label: name, total: total, unit: "events")
        let progress = Progress(types.map { $0.name })
        let results = rebuild.all(task, of: types) { (model, step) throws(ReadModelError) in
            if let line = progress.note(model, step) { bar.advance(to: line.done, note: line.text) }
        }
        bar.finish()
        for case .success(let outcome) in results { try StandardOutput.say(SummaryText(outcome).text(json: json)) }
        return results
    }

    /// Rebuilds the discovery model, which has another storage engine than the other models.
    ///
    /// - Throws: as ``models(_:_:)``.
    func discovery(_ task: Rebuild.Task) throws(OutputError) -> Result<RebuildOutcome, ReadModelError> {
        let result = discovered(task)
        if case .success(let outcome) = result { try StandardOutput.say(SummaryText(outcome).text(json: json)) }
        return result
    }

    private func discovered(_ task: Rebuild.Task) -> Result<RebuildOutcome, ReadModelError> {
        let bar = ProgressBar(label: Discovery.name, total: Int(clamping: log.head.rawValue), unit: "events")
        defer { bar.finish() }
        let progress = Progress([Discovery.name])
        do throws(ReadModelError) {
            return .success(
                try rebuild.discovery(task) { (model, step) throws(ReadModelError) in
                    if let line = progress.note(model, step) { bar.advance(to: line.done, note: line.text) }
                })
        } catch {
            return .failure(error)
        }
    }
}

/// The combined progress of several models, computed from their reports.
final class Progress: Sendable {
    /// The values for the progress bar.
    struct Line {
        /// The number of events read, over all models.
        let done: Int
        /// The number of events by which the slowest model is behind the log's head, or the current step, such as a comparison.
        let text: String
    }

    private struct State {
        var positions: [String: UInt64]
        var head: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ models: [String]) {
        state = Mutex(State(positions: Dictionary(models.map { ($0, 0) }) { first, _ in first }))
    }

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

    private func line(_ state: State, _ text: String) -> Line {
        Line(done: Int(clamping: state.positions.values.reduce(0, +)), text: text)
    }
}

/// The result of a rebuild, as text.
struct SummaryText {
    private let outcome: RebuildOutcome

    init(_ outcome: RebuildOutcome) { self.outcome = outcome }

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
