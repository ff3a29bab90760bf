public import Loyalty

/// The options of a campaign as fields, for the text form of events.
extension CampaignOptions {
    var fields: [FactField] {
        var fields: [FactField] = []
        if let repeats { fields.append(FactField("repeats", .integer(repeats))) }
        if let welcomeStamps { fields.append(FactField("welcomeStamps", .integer(welcomeStamps))) }
        if let redeemUntil { fields.append(FactField("redeemUntil", .time(redeemUntil))) }
        if let cardValidDays { fields.append(FactField("cardValidDays", .integer(cardValidDays))) }
        if !bonuses.isEmpty { fields.append(FactField("bonuses", .symbols(bonuses.map(\.text)))) }
        if !shops.isEmpty { fields.append(FactField("shops", .symbols(shops.map(\.text)))) }
        return fields + milestones.fields
    }
}

extension CardTerms {
    var fields: [FactField] {
        var fields: [FactField] = []
        if let expiresAt { fields.append(FactField("expiresAt", .time(expiresAt))) }
        if let redeemUntil { fields.append(FactField("redeemUntil", .time(redeemUntil))) }
        return fields + milestones.fields
    }
}

extension [Milestone] {
    /// Each reward has its own field, because it may be sealed.
    fileprivate var fields: [FactField] {
        if isEmpty { return [] }
        return [FactField("milestones", .symbols(map { "\($0.at)" }))]
            + map { FactField("milestone\($0.at)", .typed($0.reward)) }
    }
}

extension SharedEvent {
    var homeFields: [FactField] { home.map { [FactField("home", .id($0))] } ?? [] }
}

extension BonusHours {
    /// The hours as text, such as "monday,friday 08:00-10:30 x2".
    public var text: String { "\(days.names.joined(separator: ",")) \(DayClock.text(fromMinute))-\(DayClock.text(toMinute)) x\(factor)" }
}
