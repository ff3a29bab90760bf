internal import Loyalty

/// How the options of campaigns and the terms of cards are shown.
extension CampaignOptions {
    /// The options that are set.
    var fields: [FactField] {
        var fields: [FactField] = []
        if let repeats { fields.append(FactField("repeats", .integer(repeats))) }
        if let welcomeStamps { fields.append(FactField("welcomeStamps", .integer(welcomeStamps))) }
        if let redeemUntil { fields.append(FactField("redeemUntil", .time(redeemUntil))) }
        if let cardValidDays { fields.append(FactField("cardValidDays", .integer(cardValidDays))) }
        if !bonuses.isEmpty { fields.append(FactField("bonuses", .symbols(bonuses.map(\.text)))) }
        return fields
    }
}

extension CardTerms {
    /// The terms that the card has.
    var fields: [FactField] {
        var fields: [FactField] = []
        if let expiresAt { fields.append(FactField("expiresAt", .time(expiresAt))) }
        if let redeemUntil { fields.append(FactField("redeemUntil", .time(redeemUntil))) }
        return fields
    }
}

extension BonusHours {
    private static let names = ["monday", "tuesday", "wednesday", "thursday", "friday", "saturday", "sunday"]

    /// "monday,friday 08:00-10:30 x2".
    fileprivate var text: String {
        let words = Self.names.indices.filter { days.contains(day: $0) }.map { Self.names[$0] }
        return "\(words.joined(separator: ",")) \(Self.clock(fromMinute))-\(Self.clock(toMinute)) x\(factor)"
    }

    /// A minute of a day as people write it, "08:30"; the end of the day is "24:00".
    private static func clock(_ minute: Int) -> String {
        let (hour, rest) = minute.quotientAndRemainder(dividingBy: 60)
        return (hour < 10 ? "0" : "") + "\(hour)" + (rest < 10 ? ":0" : ":") + "\(rest)"
    }
}
