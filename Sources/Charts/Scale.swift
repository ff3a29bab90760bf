/// The scale of an axis. Logarithms and digits are computed here, because pictures are compared byte by byte and the last digit of a
/// library's `log` or `printf` differs between machines.
public struct Scale: Sendable, Hashable {
    /// Linear or logarithmic.
    public enum Kind: Sendable, Hashable {
        case linear
        /// To base ten. Values of 0 and less are drawn at the beginning.
        case logarithmic
    }

    let kind: Kind
    let first: Double
    let last: Double
    /// Round values within the axis, in order.
    let ticks: [Double]

    /// An axis that contains the values; a linear one also 0.
    ///
    /// - Parameter isWhole: for counted things, whole numbers only.
    init(_ kind: Kind, for values: [Double], isWhole: Bool = false) {
        let values = values.filter { $0.isFinite && (kind == .linear || $0 > 0) }
        self.kind = kind
        switch kind {
        case .linear: (first, last, ticks) = Self.linear(min(0, values.min() ?? 0), max(0, values.max() ?? 0), stepMin: isWhole ? 1 : 0)
        case .logarithmic: (first, last, ticks) = Self.logarithmic(values.min() ?? 1, values.max() ?? 10)
        }
    }

    /// Four to ten steps of 1, 2 or 5 times a power of ten; maybe fewer with `stepMin`.
    private static func linear(_ least: Double, _ greatest: Double, stepMin: Double) -> (Double, Double, [Double]) {
        let span = greatest > least ? greatest - least : 1
        var power = 1.0
        while power * 10 <= span / 5 { power *= 10 }
        while power > span / 5 { power /= 10 }
        let step = max(stepMin, power * ([1.0, 2, 5].last { $0 * power <= span / 4 } ?? 1))
        let (low, high) = ((least / step).rounded(.down), max((greatest / step).rounded(.up), (least / step).rounded(.down) + 1))
        return (low * step, high * step, stride(from: low, through: high, by: 1).map { $0 * step })
    }

    /// Whole powers of ten.
    private static func logarithmic(_ least: Double, _ greatest: Double) -> (Double, Double, [Double]) {
        var low = 1.0
        while low > least { low /= 10 }
        while low * 10 <= least { low *= 10 }
        var ticks = [low]
        while ticks[ticks.count - 1] < greatest { ticks.append(ticks[ticks.count - 1] * 10) }
        if ticks.count == 1 { ticks.append(low * 10) }
        return (ticks[0], ticks[ticks.count - 1], ticks)
    }

    /// From 0 at the beginning to 1 at the end.
    func place(_ value: Double) -> Double {
        switch kind {
        case .linear: return (value - first) / (last - first)
        case .logarithmic:
            guard value > first else { return 0 }
            return Self.decades(value / first) / Self.decades(last / first)
        }
    }

    /// Decimal logarithm of a number from 1 on, by squaring: a library's could differ between machines.
    private static func decades(_ value: Double) -> Double {
        var (rest, whole) = (value, 0.0)
        while rest >= 10 {
            rest /= 10
            whole += 1
        }
        var (fraction, weight) = (0.0, 0.5)
        for _ in 0..<20 {
            rest *= rest
            if rest >= 10 {
                rest /= 10
                fraction += weight
            }
            weight /= 2
        }
        return whole + fraction
    }
}
