internal import Foundation
internal import GRDB
internal import Loyalty
internal import ReadModels
internal import Synchronization

/// Opening hours in a row, five bytes each: the days, and the first and the last minute, big-endian.
enum HoursColumn {
    private static let bytesEach = 5

    /// Nil if the shop names no hours.
    static func data(_ hours: [OpeningHours]?) -> Data? {
        hours.map { hours in
            Data(
                hours.flatMap { hours -> [UInt8] in
                    let (from, to) = (UInt16(clamping: hours.fromMinute), UInt16(clamping: hours.toMinute))
                    return [hours.days, UInt8(from >> 8), UInt8(from & 0xFF), UInt8(to >> 8), UInt8(to & 0xFF)]
                })
        }
    }

    static func contains(_ data: Data, _ time: LocalTime) -> Bool {
        let bytes = [UInt8](data)
        return stride(from: 0, to: bytes.count - bytes.count % bytesEach, by: bytesEach).contains { at in
            let (from, to) = (Int(bytes[at + 1]) << 8 | Int(bytes[at + 2]), Int(bytes[at + 3]) << 8 | Int(bytes[at + 4]))
            return OpeningHours(days: bytes[at], fromMinute: from, toMinute: to).contains(time)
        }
    }
}

/// The SQL function `is_open(zone, hours, minute)`: whether a shop is open in a minute since 1970 by its own clock. One that names no hours
/// is not known to be open.
enum OpenFunction {
    static func make() -> DatabaseFunction {
        let clocks = ZoneClocks()
        return DatabaseFunction("is_open", argumentCount: 3, pure: true) { values in
            guard let zone = String.fromDatabaseValue(values[0]), let hours = Data.fromDatabaseValue(values[1]),
                let minute = Int64.fromDatabaseValue(values[2])
            else { return false }
            return HoursColumn.contains(hours, clocks.time(in: zone, minute: minute))
        }
    }

    /// All zones change their clocks at whole minutes.
    static func minute(of moment: Instant) -> Int64 {
        let (minute, rest) = moment.microseconds.quotientAndRemainder(dividingBy: 60_000_000)
        return rest < 0 ? minute - 1 : minute
    }
}

/// The time of each zone in the minute that was asked for last, because one search asks for thousands of shops in few zones.
private final class ZoneClocks: Sendable {
    /// More than there are zones.
    private static let zonesMax = 1_024

    private struct Clock {
        let zone: ReportZone
        var minute: Int64
        var time: LocalTime
    }

    private let clocks = Mutex<[String: Clock]>([:])

    func time(in zone: String, minute: Int64) -> LocalTime {
        clocks.withLock { clocks in
            if let clock = clocks[zone], clock.minute == minute { return clock.time }
            let known = clocks[zone]?.zone ?? ReportZone(name: zone) ?? .utc
            let moment = Instant(microseconds: minute * 60_000_000)
            let clock = Clock(zone: known, minute: minute, time: LocalTime(of: moment, secondsAhead: known.secondsAhead(at: moment)))
            if clocks[zone] == nil, clocks.count >= Self.zonesMax { clocks.removeAll() }
            clocks[zone] = clock
            return clock.time
        }
    }
}
