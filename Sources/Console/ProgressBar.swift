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

/// The text of a progress bar: a pure function of what is done and how long it took.
struct ProgressLine: Sendable {
    let label: String
    /// Items in all; 0 where unknown.
    let total: Int
    let unit: String

    /// Characters between the brackets.
    private static let barWidth = 24
    /// In less time than this a rate is a guess, and the time left that follows from it nonsense.
    private static let measurableSeconds = 0.2
    /// Fits an integer; nothing is as fast.
    private static let rateMax = 1e15

    /// - Parameter isOver: shows the time it took in place of the time left.
    func text(done: Int, elapsed: Duration, isOver: Bool) -> String {
        let seconds = Double(elapsed.components.seconds) + Double(elapsed.components.attoseconds) * 1e-18
        let rate = seconds >= Self.measurableSeconds ? Double(done) / seconds : nil
        var parts =
            total > 0
            ? [label, bar(done), percent(done), "\(grouped(done))/\(grouped(total)) \(unit)"]
            : [label, "\(grouped(done)) \(unit)"]
        if let rate { parts.append("\(grouped(Int(min(rate, Self.rateMax))))/s") }
        if isOver {
            parts.append("in \(clock(seconds))")
        } else if total > 0, let rate, rate > 0 {
            parts.append("\(clock(Double(max(0, total - done)) / rate)) left")
        }
        return parts.joined(separator: "  ")
    }

    private func bar(_ done: Int) -> String {
        let filled = Int((share(done) * Double(Self.barWidth)).rounded(.down))
        return "[" + String(repeating: "#", count: filled) + String(repeating: ".", count: Self.barWidth - filled) + "]"
    }

    private func percent(_ done: Int) -> String {
        let text = "\(Int((share(done) * 100).rounded(.down)))%"
        return String(repeating: " ", count: max(0, 4 - text.count)) + text
    }

    private func share(_ done: Int) -> Double {
        min(1, max(0, Double(done) / Double(total)))
    }

    /// `1234567` as `1,234,567`.
    private func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `75` as `1:15`, `3671` as `1:01:11`, and below ten seconds with one decimal: `0.4 s`.
    private func clock(_ seconds: Double) -> String {
        if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
        let whole = Int(min(seconds, 359_999))
        let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(padded(rest))" : "\(minutes):\(padded(rest))"
    }

    private func padded(_ number: Int) -> String {
        number < 10 ? "0\(number)" : "\(number)"
    }
}

/// Properties of the process's standard error.
enum Terminal {
    /// Whether a person is likely to be looking; `TERM=dumb` cannot redraw a line.
    static var standardErrorIsTerminal: Bool {
        isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb"
    }

    /// A progress bar that can not be drawn is no reason to stop the work.
    static func writeToStandardError(_ text: String) {
        try? FileHandle.standardError.write(contentsOf: Data(text.utf8))
    }
}
