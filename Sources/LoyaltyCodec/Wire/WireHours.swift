internal import Loyalty

/// A shop's schedule in a payload: the time zone's name, and one number for each opening hours.
enum WireHours {
    private static let nameBytes = 1...64
    private static let countMax = 21
    private static let (daysShift, fromShift) = (UInt32(22), UInt32(11))
    private static let minuteMask: UInt32 = 1 << 11 - 1

    static func numbers(_ schedule: ShopSchedule) throws(CodecError) -> [UInt32] {
        try check(schedule)
        return (schedule.openingHours ?? []).map {
            UInt32($0.days) << daysShift | UInt32($0.fromMinute) << fromShift | UInt32($0.toMinute)
        }
    }

    static func schedule(_ timeZone: String, isSaid: Bool, _ numbers: [UInt32]) throws(CodecError) -> ShopSchedule {
        guard isSaid || numbers.isEmpty else { throw CodecError(.fieldOutOfRange, "opening hours are there and not said") }
        guard numbers.allSatisfy({ $0 >> daysShift < 128 }) else { throw CodecError(.fieldOutOfRange, "opening hours are of no day") }
        let hours = numbers.map {
            OpeningHours(days: UInt8($0 >> daysShift), fromMinute: Int($0 >> fromShift & minuteMask), toMinute: Int($0 & minuteMask))
        }
        let schedule = ShopSchedule(timeZone: timeZone, openingHours: isSaid ? hours : nil)
        try check(schedule)
        return schedule
    }

    private static func check(_ schedule: ShopSchedule) throws(CodecError) {
        guard nameBytes.contains(schedule.timeZone.utf8.count) else {
            throw CodecError(.fieldOutOfRange, "the name of a time zone has \(schedule.timeZone.utf8.count) bytes")
        }
        let hours = schedule.openingHours ?? []
        let isPossible =
            hours.count <= countMax
            && hours.allSatisfy { hours in
                (1..<128).contains(hours.days) && (0..<1_440).contains(hours.fromMinute) && (1...1_440).contains(hours.toMinute)
            }
        guard isPossible else { throw CodecError(.fieldOutOfRange, "opening hours are \(hours)") }
    }
}
