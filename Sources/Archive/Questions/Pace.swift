internal import EventLog
internal import Foundation

struct Pace {
    let eventsPerDay: Double?
    private let events: Double

    private static let daySeconds = 86_400.0
    private static let spanDays = 7.0
    /// No estimate is given beyond a century.
    private static let daysMax = 36_500.0
    private static let probes: UInt64 = 1_024

    init(of log: EventLog, now: Timestamp) throws(EventLogError) {
        events = Double(log.head.rawValue)
        let begin = now.microseconds - Int64(Self.spanDays * Self.daySeconds * 1e6)
        guard let low = try Self.first(since: begin, until: now.microseconds, in: log) else {
            eventsPerDay = log.head == .start ? nil : 0
            return
        }
        let first = try low == 1 ? Self.time(of: 1, in: log) : begin
        let days = (Double(now.microseconds) - Double(first)) / 1e6 / Self.daySeconds
        eventsPerDay = days < 1.0 / 24 ? nil : Double(log.head.rawValue - low + 1) / days
    }

    /// Imported events have past times, so the times do not always increase. A binary search is used only between two events of a sample.
    private static func first(since begin: Int64, until end: Int64, in log: EventLog) throws(EventLogError) -> UInt64? {
        let head = log.head.rawValue
        let step = max(1, head / probes)
        var (low, high) = (UInt64(1), min(step, head))
        while high > 0 {
            if try (begin...max(begin, end)).contains(time(of: high, in: log)) {
                while low < high {
                    let middle = low + (high - low) / 2
                    if try time(of: middle, in: log) < begin { low = middle + 1 } else { high = middle }
                }
                return low
            }
            guard high < head else { return nil }
            (low, high) = (high + 1, min(high + step, head))
        }
        return nil
    }

    private static func time(of position: UInt64, in log: EventLog) throws(EventLogError) -> Int64 {
        try log.event(at: Position(position))?.event.time.microseconds ?? .max
    }

    /// Nil if unknown, or a century or more.
    func days(until bytes: Double, used: Double) -> Double? {
        guard let perDay = eventsPerDay, events > 0, used > 0 else { return nil }
        let days = bytes / (used / events * perDay)
        return days < Self.daysMax ? max(0, days) : nil
    }

    /// A clause such as `, full in 12 days at the pace of the last week`, or the reason why there is no number.
    func text(_ days: Double?) -> String {
        if let days { return ", full in \(Int(days)) days at the pace of the last week" }
        return eventsPerDay == nil ? ", full in: not known in the log's first hour" : ", full in: not within a century"
    }
}
