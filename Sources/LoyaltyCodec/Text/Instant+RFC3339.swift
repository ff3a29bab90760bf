public import Loyalty

extension Instant {
    private static let microsecondsPerSecond = 1_000_000
    private static let secondsPerDay = 86_400

    /// UTC with milliseconds, rounded down: `2026-11-21T09:00:00.123Z` (RFC 3339). Years after 9999 or before 0 can be shown too.
    public var rfc3339: String {
        let (seconds, fraction) = Int(microseconds).dividedDown(by: Self.microsecondsPerSecond)
        let (days, time) = seconds.dividedDown(by: Self.secondsPerDay)
        let date = CivilDate(daysSinceEpoch: days)
        var text = RFC3339Writer()
        text.append(date.year, width: 4, then: "-")
        text.append(date.month, width: 2, then: "-")
        text.append(date.day, width: 2, then: "T")
        text.append(time / 3_600, width: 2, then: ":")
        text.append(time / 60 % 60, width: 2, then: ":")
        text.append(time % 60, width: 2, then: ".")
        text.append(fraction / 1_000, width: 3, then: "Z")
        return text.string
    }

    /// Like ``rfc3339``, with microseconds.
    package var rfc3339Exact: String {
        let digits = String(Int(microseconds).dividedDown(by: 1_000).remainder)
        return rfc3339.dropLast() + String(repeating: "0", count: 3 - digits.count) + digits + "Z"
    }

    /// Reads any form of RFC 3339; nil for other text and dates that do not exist. Digits after the sixth are dropped.
    ///
    /// A leap second becomes the last microsecond before the next day, because an `Instant` cannot express it.
    public init?(rfc3339 text: String) {
        guard var reader = RFC3339Reader(text), let date = reader.date(), reader.skip("T", "t", " "), let time = reader.time(),
            let offset = reader.offset(), reader.isAtEnd
        else { return nil }
        let seconds = date.daysSinceEpoch * Self.secondsPerDay + time.seconds - offset
        if time.isLeap {
            let (day, rest) = (seconds + 1).dividedDown(by: Self.secondsPerDay)
            guard rest == 0, CivilDate(daysSinceEpoch: day).day == 1 else { return nil }
        }
        self.init(microseconds: Int64(seconds * Self.microsecondsPerSecond + time.microseconds))
    }
}

extension Int {
    /// Rounds towards minus infinity; `divisor` is positive.
    func dividedDown(by divisor: Int) -> (quotient: Int, remainder: Int) {
        let (quotient, remainder) = quotientAndRemainder(dividingBy: divisor)
        return remainder < 0 ? (quotient - 1, remainder + divisor) : (quotient, remainder)
    }
}

/// Reads the parts of a date-time one by one; nil for a wrong form.
struct RFC3339Reader {
    /// Room for a fraction of a hundred digits.
    private static let textBytesMax = 128
    private static let microsecondDigits = 6

    private var rest: ArraySlice<UInt8>

    init?(_ text: String) {
        guard text.utf8.count <= Self.textBytesMax else { return nil }
        rest = Array(text.utf8)[...]
    }

    var isAtEnd: Bool { rest.isEmpty }

    mutating func date() -> CivilDate? {
        guard let year = number(4), skip("-"), let month = number(2), skip("-"), let day = number(2) else { return nil }
        return CivilDate(year: year, month: month, day: day)
    }

    /// The time since midnight. A leap second is the last microsecond before it; only the moment in UTC tells whether there can be one.
    mutating func time() -> (seconds: Int, microseconds: Int, isLeap: Bool)? {
        guard let hour = number(2), skip(":"), let minute = number(2), skip(":"), let second = number(2) else { return nil }
        guard hour < 24, minute < 60, second <= 60, let fraction = fraction() else { return nil }
        let isLeap = second == 60
        return (hour * 3_600 + minute * 60 + (isLeap ? 59 : second), isLeap ? 999_999 : fraction, isLeap)
    }

    /// Seconds, positive to the east.
    mutating func offset() -> Int? {
        if skip("Z", "z") { return 0 }
        let sign = skip("-") ? -1 : 1
        guard sign < 0 || skip("+") else { return nil }
        guard let hours = number(2), skip(":"), let minutes = number(2), hours < 24, minutes < 60 else { return nil }
        return sign * (hours * 3_600 + minutes * 60)
    }

    mutating func skip(_ separators: Unicode.Scalar...) -> Bool {
        guard let next = rest.first, separators.contains(Unicode.Scalar(next)) else { return false }
        rest.removeFirst()
        return true
    }

    /// Microseconds, rounded down; nil for a point without a digit.
    private mutating func fraction() -> Int? {
        guard skip(".") else { return 0 }
        let count = rest.prefix(while: Self.isDigit).count
        let kept = min(count, Self.microsecondDigits)
        guard count > 0, var value = number(kept) else { return nil }
        rest = rest.dropFirst(count - kept)
        for _ in kept..<Self.microsecondDigits { value *= 10 }
        return value
    }

    private mutating func number(_ width: Int) -> Int? {
        let digits = rest.prefix(width)
        guard digits.count == width, digits.allSatisfy(Self.isDigit) else { return nil }
        rest = rest.dropFirst(width)
        return digits.reduce(0) { $0 * 10 + Int($1 - UInt8(ascii: "0")) }
    }

    private static func isDigit(_ byte: UInt8) -> Bool { (UInt8(ascii: "0")...UInt8(ascii: "9")).contains(byte) }
}

/// Builds a date-time from numbers of fixed width, without a formatter.
struct RFC3339Writer {
    private var bytes: [UInt8] = []

    init() { bytes.reserveCapacity(24) }

    var string: String { String(decoding: bytes, as: UTF8.self) }

    mutating func append(_ value: Int, width: Int, then separator: Unicode.Scalar) {
        if value < 0 { bytes.append(UInt8(ascii: "-")) }
        append(digits: value.magnitude, width: width)
        bytes.append(UInt8(ascii: separator))
    }

    /// Without the `String` that the standard library would make.
    private mutating func append(digits value: UInt, width: Int) {
        if value >= 10 || width > 1 { append(digits: value / 10, width: width - 1) }
        bytes.append(UInt8(ascii: "0") + UInt8(value % 10))
    }
}
