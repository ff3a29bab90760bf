/// Minutes of a day as clocks show them in the API: `08:00`, and `24:00` for the end of the day.
public enum DayClock {
    public static func text(_ minute: Int) -> String {
        func two(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        return "\(two(minute / 60)):\(two(minute % 60))"
    }

    /// The minute of the day, 0 to 1,440, from `00:00` to `24:00`. Without leading zero it is refused, so that each time has one spelling.
    public static func minute(_ text: String) -> Int? {
        let bytes = Array(text.utf8)
        guard bytes.count == 5, bytes[2] == UInt8(ascii: ":") else { return nil }
        let digits = [bytes[0], bytes[1], bytes[3], bytes[4]].map { Int($0) - Int(UInt8(ascii: "0")) }
        guard digits.allSatisfy({ (0...9).contains($0) }) else { return nil }
        let (hour, minute) = (digits[0] * 10 + digits[1], digits[2] * 10 + digits[3])
        guard minute < 60, hour < 24 || (hour == 24 && minute == 0) else { return nil }
        return hour * 60 + minute
    }

    /// The minute at which hours end. `00:00` means the end of the day, because time fields of browsers have no `24:00`, unless the hours
    /// begin there.
    public static func endMinute(_ text: String, from: Int) -> Int? { minute(text).map { $0 == 0 && from != 0 ? 1_440 : $0 } }
}
