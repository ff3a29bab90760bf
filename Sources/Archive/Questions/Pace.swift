internal import EventLog
internal import Foundation

/// The growth rate of a log, from the times of the events in the last week.
struct Pace {
    /// The number of events per day; nil for a log that is empty or younger than an hour, because no rate can be computed.
    let eventsPerDay: Double?
    private let events: Double

    private static let daySeconds = 86_400.0
    private static let spanDays = 7.0
    /// The number of days, a century, from which on no estimate is given.
    private static let daysMax = 36_500.0
    /// The approximate number of events that are read as a sample to find the first event of the week.
    private static let probes: UInt64 = 1_024

    /// - Throws: the error if the log cannot be read.
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

    /// The position of the first event in a span of time; nil if none is found.
    ///
    /// Imported events have times in the past, so times in the log do not always increase, and a binary search over the whole log could
    /// fail. Therefore a sample of events is read in order, and a binary search is used only between two neighbouring events of the sample.
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

    /// The number of days until the log's events take `bytes` more bytes; nil if it cannot be computed, or is a century or more.
    ///
    /// - Parameter used: the bytes that the present events take.
    func days(until bytes: Double, used: Double) -> Double? {
        guard let perDay = eventsPerDay, events > 0, used > 0 else { return nil }
        let days = bytes / (used / events * perDay)
        return days < Self.daysMax ? max(0, days) : nil
    }

    /// Returns a clause such as `, full in 12 days at the pace of the last week`. If `days` is nil, the clause says why there is no number.
    func text(_ days: Double?) -> String {
        if let days { return ", full in \(Int(days)) days at the pace of the last week" }
        return eventsPerDay == nil ? ", full in: not known in the log's first hour" : ", full in: not within a century"
    }
}
