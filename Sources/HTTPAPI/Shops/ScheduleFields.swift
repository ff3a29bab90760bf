import Loyalty
import LoyaltyCodec
import ReadModels

/// Reads time zones, opening hours and bonus hours from requests.
extension FieldReader {
    /// An IANA name; refuses unknown zones.
    mutating func optionalTimeZone(_ name: String) -> String? {
        checkedTimeZone(optionalString(name), name)
    }

    /// An edit may change the zone but not remove it.
    mutating func editedTimeZone(_ name: String) -> String? {
        checkedTimeZone(editedString(name), name)
    }

    private mutating func checkedTimeZone(_ text: String?, _ name: String) -> String? {
        guard let text, ReportZone(name: text) == nil else { return text }
        complain(name, .form(.timeZone))
        return nil
    }

    /// Null removes the hours.
    mutating func changedHours(_ name: String) -> Change<[OpeningHours]> {
        changedEntries(name, atMost: Loyalty.Limits.openingHoursMax, .above(Loyalty.Limits.openingHoursMax)) { fields in
            let (days, from) = (fields.days("days"), fields.minute("from"))
            return OpeningHours(days: days, fromMinute: from, toMinute: fields.minute("to", endOf: from))
        }
    }

    /// Null removes them.
    mutating func changedBonuses(_ name: String) -> Change<[BonusHours]> {
        changedEntries(name, atMost: Loyalty.Limits.bonuses, .bonuses(max: Loyalty.Limits.bonuses)) { fields in
            let (days, from) = (Weekdays(rawValue: fields.days("days")), fields.minute("from"))
            let to = fields.minute("to", endOf: from)
            return BonusHours(days: days, fromMinute: from, toMinute: to, factor: fields.int("factor"))
        }
    }

    /// A list of objects, which null removes. Reads none if there are more than `most`.
    mutating func changedEntries<Entry>(
        _ name: String, atMost most: Int, _ fault: FieldFault, _ read: (inout FieldReader) -> Entry
    ) -> Change<[Entry]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        guard case .array(let elements) = content, elements.count <= most else {
            if case .array = content { complain(name, .rule(fault)) } else { complain(name, .kind(.objects)) }
            return .set([])
        }
        return .set(
            elements.enumerated().map { index, element in
                var fields = FieldReader(element, path: "\(path)\(name)/\(index)/")
                defer { errors += fields.errors }
                return read(&fields)
            })
    }

    /// Names of days as bits, Monday lowest. After a fault, Monday.
    private mutating func days(_ name: String) -> UInt8 {
        guard case .object = object else { return 1 }
        guard let content = object.field(name) else {
            complain(name, .required)
            return 1
        }
        let days = Self.strings(content)?.map { OpeningHours.dayNames.firstIndex(of: $0) }
        guard let days, !days.isEmpty, !days.contains(nil), Set(days).count == days.count else {
            complain(name, .someOf(OpeningHours.dayNames))
            return 1
        }
        return days.reduce(0) { $0 | 1 << UInt8($1 ?? 0) }
    }

    /// A time of day as its minute; 0 after a fault.
    ///
    /// - Parameter from: the beginning, if the field is the end of hours.
    private mutating func minute(_ name: String, endOf from: Int? = nil) -> Int {
        let complaints = errors.count
        let text = string(name)
        guard errors.count == complaints, case .object = object else { return 0 }
        let minute = if let from { DayClock.endMinute(text, from: from) } else { DayClock.minute(text) }
        if minute == nil { complain(name, .form(.timeOfDay)) }
        return minute ?? 0
    }
}

extension CanonicalRequest {
    /// Three numbers for each entry.
    mutating func add(_ hours: [OpeningHours]) {
        add(hours.count)
        for entry in hours { for number in [Int(entry.days), entry.fromMinute, entry.toMinute] { add(number) } }
    }

    /// Four numbers for each entry.
    mutating func add(_ bonuses: [BonusHours]) {
        add(bonuses.count)
        for entry in bonuses {
            for number in [Int(entry.days.rawValue), entry.fromMinute, entry.toMinute, entry.factor] { add(number) }
        }
    }
}

/// In the shop's time zone.
extension OpeningHours: JSONRecord {
    var fields: JSONFields { ["days": names, "from": DayClock.text(fromMinute), "to": DayClock.text(toMinute)] }
}

/// In the time zone of the campaign's shop.
extension BonusHours: JSONRecord {
    var fields: JSONFields {
        ["days": days.names, "from": DayClock.text(fromMinute), "to": DayClock.text(toMinute), "factor": factor]
    }
}

extension ShopSchedule {
    var fields: JSONFields { ["timeZone": timeZone, "openingHours": openingHours] }
}
