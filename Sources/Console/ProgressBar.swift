internal import Foundation
internal import Synchronization

/// A bar on standard error that says how far a long job is, how fast, and how long it will take.
///
/// It redraws at most ``redrawsPerSecond`` times a second, so that calling it for every item costs a comparison. When standard
/// error is no terminal it writes nothing at all: logs and pipes stay clean. Any thread may call it.
public final class ProgressBar: Sendable {
    /// More would flicker and cost; fewer would look stuck.
    static let redrawsPerSecond = 10

    private let line: ProgressLine
    private let isShown: Bool
    private let state: Mutex<State>

    private struct State {
        let started: ContinuousClock.Instant
        var done: Int
        var nextRedraw: ContinuousClock.Instant
        var isDrawn = false
        var isFinished = false
    }

    /// - Parameters:
    ///   - label: what is going on, one word: "replay".
    ///   - total: items in all; 0 where it is not known, then neither share nor time left is shown.
    ///   - unit: what is counted, in the plural: "events".
    ///   - patienceSeconds: a job that is done before then is not worth a line.
    public convenience init(label: String, total: Int, unit: String, patienceSeconds: Double = 0) {
        self.init(
            label: label, total: total, unit: unit, patienceSeconds: patienceSeconds, isShown: Terminal.standardErrorIsTerminal)
    }

    init(label: String, total: Int, unit: String, patienceSeconds: Double = 0, isShown: Bool) {
        line = ProgressLine(label: label, total: total, unit: unit)
        self.isShown = isShown
        let now = ContinuousClock.now
        state = Mutex(State(started: now, done: 0, nextRedraw: now.advanced(by: .seconds(patienceSeconds))))
    }

    deinit {
        finish()
    }

    /// Says that `done` items are done in all; fewer than before is ignored, so that threads may report in any order.
    ///
    /// - Parameter note: what else to show, at the end of the line.
    public func advance(to done: Int, note: String = "") {
        guard isShown else { return }
        let text = state.withLock { state -> String? in
            state.done = max(state.done, done)
            let now = ContinuousClock.now
            guard !state.isFinished, now >= state.nextRedraw else { return nil }
            state.nextRedraw = now.advanced(by: .milliseconds(1_000 / Self.redrawsPerSecond))
            state.isDrawn = true
            return line.text(done: state.done, elapsed: now - state.started, isOver: false) + (note.isEmpty ? "" : "  " + note)
        }
        if let text { Terminal.writeToStandardError("\r" + text + "\u{1B}[K") }
    }

    /// Draws the last state, with the time it took, and ends the line; nothing where nothing was drawn before, or when called again.
    public func finish() {
        guard isShown else { return }
        let text = state.withLock { state -> String? in
            guard !state.isFinished else { return nil }
            state.isFinished = true
            guard state.isDrawn else { return nil }
            return line.text(done: state.done, elapsed: ContinuousClock.now - state.started, isOver: true)
        }
        if let text { Terminal.writeToStandardError("\r" + text + "\u{1B}[K\n") }
    }
}
