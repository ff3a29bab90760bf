import Loyalty
import LoyaltyCodec
import ReadModels

/// A shop's time zone and opening hours in requests and answers.
extension FieldReader {
    /// The IANA name of a time zone that there is.
    mutating func optionalTimeZone(_ name: String) -> String? {
        checkedTimeZone(optionalString(name), name)
    }

    /// The same in an edit, where null is no name.
    mutating func editedTimeZone(_ name: String) -> String? {
        checkedTimeZone(editedString(name), name)
    }

    private mutating func checkedTimeZone(_ text: String?, _ name: String) -> String? {
        guard let text, ReportZone(name: text) == nil else { return text }
        complain(name, .form(.timeZone))
        return nil
    }

    /// Opening hours in an edit: null takes them away.
    mutating func changedHours(_ name: String) -> Change<[OpeningHours]> {
        guard let content = object.field(name) else { return .unchanged }
        if case .null = content { return .removed }
        return .set(hours(name, content))
    }

    mutating func optionalHours(_ name: String) -> [OpeningHours]? {
        guard case .set(let hours) = changedHours(name) else { return nil }
        return hours
    }

    /// No more entries are read than a shop may have, however many there are.
    private mutating func hours(_ name: String, _ content: JSONTree) -> [OpeningHours] {
        guard case .array(let elements) = content else {
            complain(name, .kind(.objects))
            return []
        }
        guard elements.count <= Loyalty.Limits.openingHoursMax else {
            complain(name, .rule(.above(Loyalty.Limits.openingHoursMax)))
            return []
        }
        return elements.enumerated().map { index, element in
            var fields = FieldReader(element, path: "\(path)\(name)/\(index)/")
            let days = fields.days("days")
            let (from, to) = (fields.minute("from"), fields.minute("to"))
            errors += fields.errors
            return OpeningHours(days: days, fromMinute: from, toMinute: to)
        }
    }

    /// Names of days, each once, as bits from Monday on.
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

    private mutating func minute(_ name: String) -> Int {
        let complaints = errors.count
        let text = string(name)
        guard errors.count == complaints, case .object = object else { return 0 }
        let minute = DayClock.minute(text)
        if minute == nil { complain(name, .form(.timeOfDay)) }
        return minute ?? 0
    }
}

extension CanonicalRequest {
    /// Adds opening hours; each entry is three numbers.
    mutating func add(_ hours: [OpeningHours]) {
        add(hours.count)
        for entry in hours { for number in [Int(entry.days), entry.fromMinute, entry.toMinute] { add(number) } }
    }
}

/// Hours of a shop in its own time.
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

extension ShopSchedule {
    /// The fields of an answer about the shop.
    func writeFields(to json: inout JSONWriter) {
        json.field("timeZone", timeZone)
        if let openingHours {
            json.array("openingHours", openingHours.map { OpeningHoursAnswer(hours: $0) })
        } else {
            json.null("openingHours")
        }
    }
}
