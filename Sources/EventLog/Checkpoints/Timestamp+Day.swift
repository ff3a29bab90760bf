extension Timestamp {
    private static let microsecondsOfDay: Int64 = 86_400_000_000

    /// The day in UTC as people write it, `2026-11-21`, for names of files.
    var day: String {
        var (days, year) = (Int(microseconds / Self.microsecondsOfDay), 1970)
        if microseconds < 0 { return "before-1970" }
        while days >= Self.days(of: year) {
            days -= Self.days(of: year)
            year += 1
        }
        var month = 1
        while days >= Self.days(of: month, in: year) {
            days -= Self.days(of: month, in: year)
            month += 1
        }
        return "\(year)-\(Self.twoDigits(month))-\(Self.twoDigits(days + 1))"
    }

    private static func isLeap(_ year: Int) -> Bool {
        year.isMultiple(of: 4) && (!year.isMultiple(of: 100) || year.isMultiple(of: 400))
    }

    private static func days(of year: Int) -> Int { isLeap(year) ? 366 : 365 }

    private static func days(of month: Int, in year: Int) -> Int {
        switch month {
        case 2: isLeap(year) ? 29 : 28
        case 4, 6, 9, 11: 30
        default: 31
        }
    }

    private static func twoDigits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
}
