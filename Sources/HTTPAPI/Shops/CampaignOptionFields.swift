import Loyalty
import LoyaltyCodec

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
