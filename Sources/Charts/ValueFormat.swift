/// How values are written at an axis.
public enum ValueFormat: Sendable, Hashable {
    /// As they are, shortened where they are large.
    case number
    /// 0.25 is 25 %.
    case percent

    func text(_ value: Double) -> String {
        switch self {
        case .number: ChartNumber.short(value)
        case .percent: ChartNumber.text(value * 100, decimals: 1) + " %"
        }
    }
}
