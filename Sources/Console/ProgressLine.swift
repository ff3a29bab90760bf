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
