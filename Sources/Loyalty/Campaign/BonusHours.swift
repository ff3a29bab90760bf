/// Weekly hours in which a code is worth a multiple of its stamps. The time of issue decides, so keeping a code is useless.
///
/// The hours and the shop's time zone are those in force when the code is entered, because a time zone is edited when it was wrong.
public struct BonusHours: Hashable, Sendable, WeeklyHours {
    public let days: Weekdays
    /// The minute of the day, 0 to 1,439.
    public let fromMinute: Int
    /// The exclusive end, 1 to 1,440; on the next day if at most ``fromMinute``.
    public let toMinute: Int
    public let factor: Int

    public init(days: Weekdays, fromMinute: Int, toMinute: Int, factor: Int) {
        (self.days, self.fromMinute, self.toMinute, self.factor) = (days, fromMinute, toMinute, factor)
    }
}

/// A set of days of the week; bit 0 is Monday, as in ISO 8601.
public struct Weekdays: OptionSet, Hashable, Sendable {
    public let rawValue: UInt8

    public init(rawValue: UInt8) { self.rawValue = rawValue }

    public static let all = Weekdays(rawValue: 0x7F)

    public var names: [String] { OpeningHours.dayNames.enumerated().filter { contains(day: $0.offset) }.map(\.element) }

    /// - Parameter day: 0 for Monday to 6 for Sunday.
    public func contains(day: Int) -> Bool { rawValue >> UInt8(day) & 1 == 1 }
}

extension BonusHours {
    var weekdays: Weekdays { days }

    public func contains(_ time: LocalTime) -> Bool { isWithin(time) }

    fileprivate var fault: FieldFault? {
        guard hasDays else { return .bonusDays }
        guard hasTimes else { return .bonusTimes }
        return Limits.bonusFactor.contains(factor) ? nil : .bonusFactor(Limits.bonusFactor)
    }
}

extension [BonusHours] {
    public func factor(at time: LocalTime) -> Int { first { $0.contains(time) }?.factor ?? 1 }

    /// Overlapping hours would make the factor ambiguous.
    public var fault: FieldFault? {
        guard count <= Limits.bonuses else { return .bonuses(max: Limits.bonuses) }
        for hours in self { if let fault = hours.fault { return fault } }
        return areApart ? nil : .overlappingBonuses
    }
}
