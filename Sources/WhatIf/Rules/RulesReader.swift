internal import Foundation
internal import Loyalty
internal import LoyaltyCodec
internal import ReadModels

/// Reads the members of a rules file, each with its place, and rejects unknown members.
struct RulesReader {
    let members: [String: JSONValue]

    /// In the order of the documentation.
    static let names = [
        "goal", "stampsPerDayMax", "minimumGapSeconds", "repeats", "welcomeStamps", "bonuses", "milestones", "codeValidSeconds",
        "codeWorth", "weekdays", "redemption",
        "timeZone", "shopTimeZones", "campaigns", "shops",
    ]

    /// - Throws: for anything but one JSON object with only known members.
    init(_ bytes: [UInt8]) throws(RulesError) {
        let value: JSONValue
        do { value = try JSONDecoder().decode(JSONValue.self, from: Data(bytes)) } catch {
            throw RulesError("", "is no JSON (\(Self.complaint(of: error)))")
        }
        guard case .object(let members) = value else { throw RulesError("", "must hold one JSON object") }
        if let unknown = members.keys.filter({ !Self.names.contains($0) }).min() {
            throw RulesError(Self.pointer(unknown), "is unknown. Known: \(Self.names.joined(separator: ", "))")
        }
        self.members = members
    }

    /// Nil if the member is missing.
    func int(_ name: String, in range: ClosedRange<Int>) throws(RulesError) -> Int? {
        guard let value = members[name] else { return nil }
        return try Self.int(value, at: Self.pointer(name), in: range)
    }

    /// An integer; null removes the recorded value, and a missing member changes nothing.
    func change(_ name: String, in range: ClosedRange<Int>) throws(RulesError) -> Change<Int> {
        guard let value = members[name] else { return .unchanged }
        if value == .null { return .removed }
        return .set(try Self.int(value, at: Self.pointer(name), in: range, orNull: true))
    }

    /// Empty if the member is missing.
    func weekdays(_ name: String, in range: ClosedRange<Int>) throws(RulesError) -> [Weekday: Int] {
        var factors: [Weekday: Int] = [:]
        for (key, value) in try object(name) {
            let place = Self.pointer(name, key)
            guard let day = Weekday.allCases.first(where: { $0.name == key }) else {
                throw RulesError(place, "is no weekday. Known: \(Weekday.allCases.map(\.name).joined(separator: ", "))")
            }
            factors[day] = try Self.int(value, at: place, in: range)
        }
        return factors
    }

    /// Nil if the member is missing.
    func redemption(_ name: String) throws(RulesError) -> RedemptionMoment? {
        guard let value = members[name] else { return nil }
        if case .string(let text) = value, let moment = RedemptionMoment(rawValue: text) { return moment }
        let known = RedemptionMoment.allCases.map { "\"\($0.rawValue)\"" }.joined(separator: " or ")
        throw RulesError(Self.pointer(name), "must be \(known)")
    }

    func zone(_ name: String) throws(RulesError) -> String? {
        guard let value = members[name] else { return nil }
        return try Self.zone(value, at: Self.pointer(name))
    }

    /// Empty if the member is missing.
    func zones(_ name: String) throws(RulesError) -> [ShopID: String] {
        var zones: [ShopID: String] = [:]
        for (key, value) in try object(name) {
            let place = Self.pointer(name, key)
            guard let shop = ShopID(text: key) else { throw RulesError(place, "is no shop's id: shop_ and 26 symbols") }
            zones[shop] = try Self.zone(value, at: place)
        }
        return zones
    }

    /// Distinct ids; empty if the member is missing. An empty list is refused, because it could mean all or none.
    func ids<Noun: Identified>(_ name: String, of noun: Noun.Type) throws(RulesError) -> Set<ID<Noun>> {
        guard let value = members[name] else { return [] }
        guard case .array(let items) = value, !items.isEmpty else {
            throw RulesError(Self.pointer(name), "must be a list of at least one id; leave it out for all")
        }
        var ids: Set<ID<Noun>> = []
        for (index, item) in items.enumerated() {
            guard case .string(let text) = item, let id = ID<Noun>(text: text) else {
                throw RulesError(Self.pointer(name, "\(index)"), "is no id of this kind: \(Noun.idPrefix)_ and 26 symbols")
            }
            guard ids.insert(id).inserted else { throw RulesError(Self.pointer(name, "\(index)"), "stands there twice") }
        }
        return ids
    }

    /// Ordered by name, so that a file with several mistakes always gets the same error.
    private func object(_ name: String) throws(RulesError) -> [(String, JSONValue)] {
        guard let value = members[name] else { return [] }
        guard case .object(let object) = value else { throw RulesError(Self.pointer(name), "must be an object") }
        return object.sorted { $0.key < $1.key }
    }

    /// A list of bonus hours, or null to remove recorded ones; no change if missing.
    func bonuses(_ name: String) throws(RulesError) -> Change<[BonusHours]> {
        guard let value = members[name] else { return .unchanged }
        if value == .null { return .removed }
        guard case .array(let items) = value else { throw RulesError(Self.pointer(name), "must be a list, or null for none") }
        var bonuses: [BonusHours] = []
        for (index, item) in items.enumerated() { bonuses.append(try Self.hours(item, name, "\(index)")) }
        if let fault = bonuses.fault { throw RulesError(Self.pointer(name), "\(fault)") }
        return .set(bonuses)
    }

    /// A list of milestones, or null to remove recorded ones; no change if missing.
    ///
    /// - Parameter goal: the goal in the rules file. Without one, each campaign's goal later limits the milestones.
    func milestones(_ name: String, below goal: Int?) throws(RulesError) -> Change<[Milestone]> {
        guard let value = members[name] else { return .unchanged }
        if value == .null { return .removed }
        guard case .array(let items) = value else { throw RulesError(Self.pointer(name), "must be a list, or null for none") }
        guard items.count <= Limits.milestones else { throw RulesError(Self.pointer(name), "must have at most \(Limits.milestones)") }
        var milestones: [Milestone] = []
        for (index, item) in items.enumerated() {
            let place = Self.pointer(name, "\(index)")
            guard case .object(let members) = item, Set(members.keys) == ["at", "reward"], case .string(let reward)? = members["reward"]
            else {
                throw RulesError(place, "must be an object with at and reward")
            }
            let range = (milestones.last?.at ?? 0) + 1...max((milestones.last?.at ?? 0) + 1, (goal ?? Limits.goalStamps.upperBound) - 1)
            let at = try Self.int(members["at"] ?? .null, at: Self.pointer(name, "\(index)", "at"), in: range)
            milestones.append(Milestone(at: at, reward: .clear(reward)))
        }
        if let goal, let last = milestones.last, last.at >= goal {
            throw RulesError(Self.pointer(name, "\(milestones.count - 1)", "at"), "must be less than the goal")
        }
        return .set(milestones)
    }

    private static func hours(_ value: JSONValue, _ name: String, _ index: String) throws(RulesError) -> BonusHours {
        let known = ["days", "from", "to", "factor"]
        guard case .object(let members) = value, Set(members.keys) == Set(known) else {
            throw RulesError(pointer(name, index), "must be an object with \(known.joined(separator: ", "))")
        }
        var days = Weekdays()
        if case .array(let names)? = members["days"] {
            for item in names {
                guard case .string(let text) = item, let day = OpeningHours.dayNames.firstIndex(of: text) else {
                    throw RulesError(pointer(name, index, "days"), "must be a list of weekdays")
                }
                days.insert(Weekdays(rawValue: 1 << UInt8(day)))
            }
        }
        var minutes: [Int] = []
        for member in ["from", "to"] {
            guard case .string(let text)? = members[member], let minute = Self.minute(text, after: minutes.first) else {
                throw RulesError(pointer(name, index, member), "must be a time of day, such as \"14:00\"")
            }
            minutes.append(minute)
        }
        let factor = try int(members["factor"] ?? .null, at: pointer(name, index, "factor"), in: Limits.bonusFactor)
        return BonusHours(days: days, fromMinute: minutes[0], toMinute: minutes[1], factor: factor)
    }

    /// If hours began at the minute `from`, the text is their end.
    private static func minute(_ text: String, after from: Int?) -> Int? {
        if let from { DayClock.endMinute(text, from: from) } else { DayClock.minute(text) }
    }

    private static func int(
        _ value: JSONValue, at place: String, in range: ClosedRange<Int>, orNull: Bool = false
    ) throws(RulesError) -> Int {
        if case .int(let number) = value, range.contains(number) { return number }
        throw RulesError(place, "must be an integer from \(range.lowerBound) to \(range.upperBound)\(orNull ? ", or null for none" : "")")
    }

    private static func zone(_ value: JSONValue, at place: String) throws(RulesError) -> String {
        if case .string(let text) = value, ReportZone(name: text) != nil { return text }
        throw RulesError(place, "must be the name of a time zone, such as \"Asia/Shanghai\"")
    }

    /// A JSON Pointer (RFC 6901), with `~` and `/` escaped.
    private static func pointer(_ parts: String...) -> String {
        parts.map { "/" + $0.replacing("~", with: "~0").replacing("/", with: "~1") }.joined()
    }

    private static func complaint(of error: any Error) -> String {
        guard case DecodingError.dataCorrupted(let context) = error else { return "\(error)" }
        if let inner = context.underlyingError as NSError?, let detail = inner.userInfo[NSDebugDescriptionErrorKey] as? String {
            return detail
        }
        return context.debugDescription
    }
}

/// The reason why a rules file cannot be used, with the place of the fault.
public struct RulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// A JSON Pointer (RFC 6901); empty for the whole file.
    public let place: String
    public let detail: String

    init(_ place: String, _ detail: String) { (self.place, self.detail) = (place, detail) }

    public var description: String { place.isEmpty ? "the rules file \(detail)" : "the rules file, at \(place): \(detail)" }
}
