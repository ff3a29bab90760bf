/// Reads the parts of a date-time one after the other; each is nil where the text is not as it must be.
struct RFC3339Reader {
    private static let fractionDigitsMax = 6

    private var rest: ArraySlice<UInt8>

    init(_ text: String) {
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// Seconds since midnight and the microseconds beyond.
    mutating func time() -> (seconds: Int, microseconds: Int)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else { return nil }
        guard hour < 24, minute < 60, second < 60, let fraction = fraction() else { return nil }
        return (hour * 3_600 + minute * 60 + second, fraction)
    }

    /// Seconds east of UTC.
    mutating func offset() -> Int? {
        if skip("Z") { return 0 }
        let sign = skip("-") ? -1 : 1
        guard sign < 0 || skip("+") else { return nil }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    mutating func skip(_ separator: Unicode.Scalar) -> Bool {
        guard rest.first == UInt8(ascii: separator) else { return false }
        rest.removeFirst()
        return true
    }

    /// Microseconds: 0 without a point, nil for a point with no digit or more than six after it.
    private mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        let count = rest.prefix(while: Self.isDigit).count
        guard (1...Self.fractionDigitsMax).contains(count), var value = number(count) else { return nil }
        for _ in count..<Self.fractionDigitsMax { value *= 10 }
        return value
    }

    private mutating func number(_ width: Int) -> Int? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool {
        (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte)
    }
}
