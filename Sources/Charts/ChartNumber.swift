/// Numbers as text, the same on every machine: no locale, no exponent.
enum ChartNumber {
    private static let powers = [1.0, 10, 100, 1_000, 10_000]
    /// Beyond it integers are not exact.
    private static let largest = 9e15

    /// Rounded to so many decimals, 0 to 4, without zeros at the end; `0` for what is no number.
    static func text(_ value: Double, decimals: Int = 2) -> String {
        guard value.isFinite else { return "0" }
        let power = powers[min(max(0, decimals), powers.count - 1)]
        let scaled = min(max((value * power).rounded(), -largest), largest)
        let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(power))
        var text = String(whole)
        if rest > 0 {
            let digits = String(rest)
            let zeros = String(repeating: "0", count: String(Int64(power)).count - 1 - digits.count)
            text += "." + (zeros + digits).replacingTrailingZeros()
        }
        return scaled < 0 ? "-" + text : text
    }

    /// Short, for an axis: `1.5 k`, `20 M`.
    static func short(_ value: Double) -> String {
        switch value.magnitude {
        case 1e9...: text(value / 1e9, decimals: 1) + " G"
        case 1e6...: text(value / 1e6, decimals: 1) + " M"
        case 1e4...: text(value / 1e3, decimals: 1) + " k"
        default: text(value)
        }
    }
}

extension String {
    fileprivate func replacingTrailingZeros() -> String {
        var digits = Substring(self)
        while digits.last == "0" { digits.removeLast() }
        return String(digits)
    }
}
