/// Minutes of a day as clocks show them: `08:00`, and `24:00` for the end of the day.
///
/// Opening hours and bonus hours have this form in requests and answers.
public enum DayClock {
    /// The text of a minute, such as `08:00`; the end of a day is `24:00`.
    public static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }

    /// Reads a time of day.
    ///
    /// A time without its leading zero is refused, so that each time has one spelling.
    ///
    /// - Parameter text: two digits, a colon and two digits, from `00:00` to `24:00`.
    /// - Returns: The minute of the day, 0 to 1,440; nil for any other text.
    public static func minute(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard minute < 60, hour < 24 || (hour == 24 && minute == 0) else { return nil }
        return hour * 60 + minute
    }

    /// Reads the time of day at which hours end.
    ///
    /// The text `00:00` means the midnight at the end of the day, as `24:00` does, because the time fields of browsers have no `24:00`.
    /// But if the hours begin at `00:00`, it is minute 0, at which no hours can end.
    ///
    /// - Parameter from: the minute of the day at which the hours begin.
    /// - Returns: The minute of the day, 0 to 1,440; nil for a text that ``minute(_:)`` refuses.
    public static func endMinute(_ text: String, from: Int) -> Int? {
        minute(text).map { $0 == 0 && from != 0 ? 1_440 : $0 }
    }
}
