import Loyalty
import LoyaltyCodec
import ReadModels

/// A campaign's optional terms in requests, answers and canonical content. Without a term, the campaign works as before its introduction.
extension CampaignOptions {
    init(_ fields: inout FieldReader) {
        self.init(
            repeats: fields.optionalInt("repeats"), welcomeStamps: fields.optionalInt("welcomeStamps"),
            redeemUntil: fields.optionalTime("redeemUntil"), cardValidDays: fields.optionalInt("cardValidDays"),
            bonuses: fields.changedBonuses("bonuses").value ?? [], milestones: fields.changedMilestones("milestones").value ?? [],
            shops: fields.optionalShops("shops") ?? [])
    }

    /// Adds only the present terms, so that requests of older clients keep their content and retries are recognised.
    func add(to request: inout CanonicalRequest) {
        if let repeats { request.add(option: "repeats", repeats) }
        if let welcomeStamps { request.add(option: "welcomeStamps", welcomeStamps) }
        if let redeemUntil { request.add(option: "redeemUntil", Int(redeemUntil.microseconds)) }
        if let cardValidDays { request.add(option: "cardValidDays", cardValidDays) }
        if !bonuses.isEmpty { request.add(bonuses: bonuses) }
        if !milestones.isEmpty { request.add(milestones: milestones) }
        if !shops.isEmpty { request.add(shops: shops) }
    }

    /// The present terms except the shops.
    var fields: JSONFields {
        [
            "repeats": IfPresent(repeats), "welcomeStamps": IfPresent(welcomeStamps), "redeemUntil": IfPresent(redeemUntil),
            "cardValidDays": IfPresent(cardValidDays), "bonuses": IfPresent(bonuses.isEmpty ? nil : bonuses),
            "milestones": IfPresent(milestones.isEmpty ? nil : milestones),
        ]
    }
}

extension CampaignOptionChanges {
    init(_ fields: inout FieldReader) {
        self.init()
        repeats = fields.changedInt("repeats")
        welcomeStamps = fields.changedInt("welcomeStamps")
        redeemUntil = fields.changedTime("redeemUntil")
        cardValidDays = fields.changedInt("cardValidDays")
        bonuses = fields.changedBonuses("bonuses")
        milestones = fields.changedMilestones("milestones")
        shops = fields.changedShops("shops")
    }

    /// Adds only the changed terms, so that edits of older clients keep their content and retries are recognised.
    func add(to request: inout CanonicalRequest) {
        request.add(option: "repeats", repeats)
        request.add(option: "welcomeStamps", welcomeStamps)
        request.add(option: "redeemUntil", redeemUntil.map { Int($0.microseconds) })
        request.add(option: "cardValidDays", cardValidDays)
        if bonuses != .unchanged { request.add(bonuses: bonuses.value ?? []) }
        if milestones != .unchanged { request.add(milestones: milestones.value ?? []) }
        if shops != .unchanged { request.add(shops: shops.value ?? []) }
    }
}

extension CanonicalRequest {
    /// Adds the name too, because options may be absent and a value alone would not show its option.
    fileprivate mutating func add(option name: String, _ value: Int) {
        add(name)
        add(value)
    }

    fileprivate mutating func add(bonuses: [BonusHours]) {
        add("bonuses")
        add(bonuses)
    }

    fileprivate mutating func add(option name: String, _ change: Change<Int>) {
        switch change {
        case .unchanged: return
        case .removed: add(option: name + ": none", 0)
        case .set(let value): add(option: name, value)
        }
    }
}

extension Change {
    /// Nil unless the change sets a value.
    var value: Value? { if case .set(let value) = self { value } else { nil } }

    fileprivate func map<Other>(_ transform: (Value) -> Other) -> Change<Other> {
        switch self {
        case .unchanged: .unchanged
        case .removed: .removed
        case .set(let value): .set(transform(value))
        }
    }
}

extension FieldReader {
    fileprivate mutating func changedTime(_ name: String) -> Change<Instant> {
        switch changedString(name) {
        case .unchanged: return .unchanged
        case .removed: return .removed
        case .set(let text):
            guard let time = Instant(rfc3339: text) else {
                complain(name, .form(.time))
                return .unchanged
            }
            return .set(time)
        }
    }
}

/// Reads milestones from requests.
extension FieldReader {
    /// Null removes all milestones.
    mutating func changedMilestones(_ name: String) -> Change<[Milestone]> {
        changedEntries(name, atMost: Loyalty.Limits.milestones, .above(Loyalty.Limits.milestones)) { fields in
            Milestone(at: fields.int("at"), reward: .clear(fields.string("reward")))
        }
    }
}

extension CanonicalRequest {
    mutating func add(milestones: [Milestone]) {
        add("milestones")
        add(milestones.count)
        for milestone in milestones {
            add(milestone.at)
            add(milestone.reward.open)
        }
    }
}

extension Milestone: JSONRecord {
    var fields: JSONFields { ["at": at, "reward": reward.open ?? ""] }
}

extension Card {
    func milestoneFields(at now: Instant) -> [JSONFields] {
        terms.milestones.map { milestone in
            let status = status(ofMilestone: milestone.at, at: now).rawValue
            return milestone.fields + ["status": status, "redeemedAt": IfPresent(redeemedAt(milestone: milestone.at))]
        }
    }
}

/// Reads time zones, opening hours and bonus hours from requests.
extension FieldReader {
    /// An IANA name; refuses unknown zones.
    mutating func optionalTimeZone(_ name: String) -> String? { checkedTimeZone(optionalString(name), name) }

    /// An edit may change the zone but not remove it.
    mutating func editedTimeZone(_ name: String) -> String? { checkedTimeZone(editedString(name), name) }

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
    var fields: JSONFields { ["days": days.names, "from": DayClock.text(fromMinute), "to": DayClock.text(toMinute), "factor": factor] }
}

extension ShopSchedule {
    var fields: JSONFields { ["timeZone": timeZone, "openingHours": openingHours] }
}
