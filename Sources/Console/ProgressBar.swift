internal import Foundation
internal import Synchronization

/// A bar on standard error with the progress of a long job, its speed, and the remaining time.
///
/// Without a terminal, or with `TERM=dumb`, it writes nothing. Any thread may call it.
public final class ProgressBar: Sendable {
    /// A higher rate would flicker, and at a lower one the bar would look stuck.
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
    ///   - label: one word, such as "replay".
    ///   - total: 0 if unknown.
    ///   - unit: a plural, such as "events".
    ///   - patienceSeconds: seconds before the bar appears.
    public convenience init(label: String, total: Int, unit: String, patienceSeconds: Double = 0) {
        self.init(label: label, total: total, unit: unit, patienceSeconds: patienceSeconds, isShown: Terminal.standardErrorIsTerminal)
    }

    init(label: String, total: Int, unit: String, patienceSeconds: Double = 0, isShown: Bool) {
        line = ProgressLine(label: label, total: total, unit: unit)
        self.isShown = isShown
        let now = ContinuousClock.now
        state = Mutex(State(started: now, done: 0, nextRedraw: now.advanced(by: .seconds(patienceSeconds))))
    }

    deinit { finish() }

    /// Reports the total of finished items. A lower number is ignored, so that threads may report in any order.
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

    /// Draws the final state with the elapsed time, if the bar is shown.
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

/// The text of a progress bar, by the finished items and the elapsed time.
struct ProgressLine: Sendable {
    let label: String
    let total: Int
    let unit: String

    private static let barWidth = 24
    /// Seconds before a rate is accurate enough to show.
    private static let measurableSeconds = 0.2
    private static let rateMax = 1e15

    /// - Parameter isOver: shows the elapsed time instead of the remaining one.
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

    private func share(_ done: Int) -> Double { min(1, max(0, Double(done) / Double(total))) }

    private func grouped(_ number: Int) -> String {
        var text = ""
        for (index, digit) in String(number).reversed().enumerated() {
            if index > 0, index % 3 == 0, digit != "-" { text.append(",") }
            text.append(digit)
        }
        return String(text.reversed())
    }

    /// `75` becomes `1:15`, `3671` becomes `1:01:11`, and less than ten seconds `0.4 s`.
    private func clock(_ seconds: Double) -> String {
        if seconds < 10 { return "\((seconds * 10).rounded() / 10) s" }
        let whole = Int(min(seconds, 359_999))
        let (hours, minutes, rest) = (whole / 3_600, whole / 60 % 60, whole % 60)
        return hours > 0 ? "\(hours):\(padded(minutes)):\(padded(rest))" : "\(minutes):\(padded(rest))"
    }

    private func padded(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}

enum Terminal {
    static var standardErrorIsTerminal: Bool { isatty(STDERR_FILENO) == 1 && ProcessInfo.processInfo.environment["TERM"] != "dumb" }

    /// Ignores errors, because work must not stop if its progress cannot be drawn.
    static func writeToStandardError(_ text: String) { try? FileHandle.standardError.write(contentsOf: Data(text.utf8)) }
}
