import Loyalty
import LoyaltyCodec
import ReadModels

/// Reads time zones, opening hours and bonus hours from requests.
extension FieldReader {
    /// Reads the IANA name of a time zone, and refuses an unknown time zone.
    mutating func optionalTimeZone(_ name: String) -> String? {
        checkedTimeZone(optionalString(name), name)
    }

    /// Reads the IANA name of a time zone in an edit, which may change the zone but not remove it. Refuses an unknown time zone.
    mutating func editedTimeZone(_ name: String) -> String? {
        checkedTimeZone(editedString(name), name)
    }

    private mutating func checkedTimeZone(_ text: String?, _ name: String) -> String? {
        guard let text, ReportZone(name: text) == nil else { return text }
        complain(name, .form(.timeZone))
        return nil
    }

    /// Reads the opening hours that an edit may change. `null` removes them.
    mutating func changedHours(_ name: String) -> Change<[OpeningHours]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        return .set(hours(name, content))
    }

    mutating func optionalHours(_ name: String) -> [OpeningHours]? {
        guard case .set(let hours) = changedHours(name) else { return nil }
        return hours
    }

    /// Reads a list of opening hours. If the list has too many entries, reports that fault and reads no entry.
    private mutating func hours(_ name: String, _ content: JSONTree) -> [OpeningHours] {
        entries(name, content, atMost: Loyalty.Limits.openingHoursMax, .above(Loyalty.Limits.openingHoursMax)) { fields in
            let (days, from) = (fields.days("days"), fields.minute("from"))
            return OpeningHours(days: days, fromMinute: from, toMinute: fields.minute("to", endOf: from))
        }
    }

    /// Reads the bonus hours that an edit may change. `null` removes them.
    mutating func changedBonuses(_ name: String) -> Change<[BonusHours]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        let most = Loyalty.Limits.bonuses
        return .set(
            entries(name, content, atMost: most, .bonuses(max: most)) { fields in
                let (days, from) = (Weekdays(rawValue: fields.days("days")), fields.minute("from"))
                let to = fields.minute("to", endOf: from)
                return BonusHours(days: days, fromMinute: from, toMinute: to, factor: fields.int("factor"))
            })
    }

    mutating func optionalBonuses(_ name: String) -> [BonusHours] {
        guard case .set(let bonuses) = changedBonuses(name) else { return [] }
        return bonuses
    }

    /// Reads each object of a list with `read`. If the list has more than `most` objects, reports `fault` and reads no object.
    mutating func entries<Entry>(
        _ name: String, _ content: JSONTree, atMost most: Int, _ fault: FieldFault, _ read: (inout FieldReader) -> Entry
    ) -> [Entry] {
        guard case .array(let elements) = content else {
            complain(name, .kind(.objects))
            return []
        }
        guard elements.count <= most else {
            complain(name, .rule(fault))
            return []
        }
        return elements.enumerated().map { index, element in
            var fields = FieldReader(element, path: "\(path)\(name)/\(index)/")
            let entry = read(&fields)
            errors += fields.errors
            return entry
        }
    }

    /// Reads a list of names of days as bits, of which the lowest is Monday. Each name may occur once. After a fault, the result is Monday.
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

    /// Reads a time of day as its minute. After a fault, the result is 0.
    ///
    /// - Parameter from: the minute at which hours begin, if the field is their end.
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
    /// Adds opening hours to the canonical content of a request; each entry is three numbers.
    mutating func add(_ hours: [OpeningHours]) {
        add(hours.count)
        for entry in hours { for number in [Int(entry.days), entry.fromMinute, entry.toMinute] { add(number) } }
    }
}

extension CanonicalRequest {
    /// Adds bonus hours to the canonical content of a request; each entry is four numbers.
    mutating func add(_ bonuses: [BonusHours]) {
        add(bonuses.count)
        for entry in bonuses {
            for number in [Int(entry.days.rawValue), entry.fromMinute, entry.toMinute, entry.factor] { add(number) }
        }
    }
}

/// Opening hours of a shop, in the shop's time zone.
struct OpeningHoursAnswer: JSONWritable {
    let hours: OpeningHours

    func write(to json: inout JSONWriter) {
        json.object {
            $0.array("days", hours.names) { $0.value($1) }
            $0.field("from", DayClock.text(hours.fromMinute))
            $0.field("to", DayClock.text(hours.toMinute))
        }
    }
}

/// Bonus hours of a campaign, in the time zone of the campaign's shop.
struct BonusHoursAnswer: JSONWritable {
    let hours: BonusHours

    func write(to json: inout JSONWriter) {
        json.object {
            $0.array("days", hours.days.names) { $0.value($1) }
            $0.field("from", DayClock.text(hours.fromMinute))
            $0.field("to", DayClock.text(hours.toMinute))
            $0.field("factor", hours.factor)
        }
    }
}

extension ShopSchedule {
    /// Writes the schedule's fields to an answer about the shop.
    func writeFields(to json: inout JSONWriter) {
        json.field("timeZone", timeZone)
        if let openingHours {
            json.array("openingHours", openingHours.map { OpeningHoursAnswer(hours: $0) })
        } else {
            json.null("openingHours")
        }
    }
}
