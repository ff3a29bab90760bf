/// A day of the week; numbered as ISO 8601 does.
public enum Weekday: Int, Hashable, Sendable, CaseIterable {
    case monday = 1
    case tuesday, wednesday, thursday, friday, saturday, sunday

    /// In English and small letters, as rules files have it.
    public var name: String { "\(self)" }

    /// - Parameter day: days since 1970-01-01, a Thursday.
    init(day: Int) {
        let sinceMonday = (day + 3) % 7
        self = Weekday(rawValue: (sinceMonday + 7) % 7 + 1) ?? .monday
    }
}
