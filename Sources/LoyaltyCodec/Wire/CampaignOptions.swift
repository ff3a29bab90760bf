internal import Foundation
internal import Loyalty
internal import SwiftProtobuf

/// A campaign's options as bytes, a message of their own inside the payload, because two event types contain them.
extension CampaignOptions {
    func encoded() throws(CodecError) -> Data {
        if self == .none { return Data() }
        var message = WireCampaignOptions()
        message.repeats = try WireRange.wire(repeats, WireRange.repeats, "repeats")
        message.welcomeStamps = try WireRange.wire(welcomeStamps, WireRange.welcomeStamps, "welcomeStamps")
        if let redeemUntil { message.redeemUntil = redeemUntil.microseconds }
        message.cardValidDays = try WireRange.wire(cardValidDays, WireRange.cardValidDays, "cardValidDays")
        _ = try WireRange.check(bonuses.count, WireRange.bonuses, "bonuses")
        for hours in bonuses { message.bonuses.append(try hours.encoded()) }
        message.milestones = try milestones.encoded()
        message.shops = try Self.encoded(shops)
        return try message.bytes("options")
    }

    init(decoding bytes: Data) throws(CodecError) {
        self = .none
        if bytes.isEmpty { return }
        let message = try WireCampaignOptions(part: bytes, "options")
        _ = try WireRange.check(message.bonuses.count, WireRange.bonuses, "bonuses")
        repeats = try WireRange.check(orNone: message.repeats, WireRange.repeats, "repeats")
        welcomeStamps = try WireRange.check(orNone: message.welcomeStamps, WireRange.welcomeStamps, "welcomeStamps")
        redeemUntil = message.hasRedeemUntil ? Instant(microseconds: message.redeemUntil) : nil
        cardValidDays = try WireRange.check(orNone: message.cardValidDays, WireRange.cardValidDays, "cardValidDays")
        for part in message.bonuses { bonuses.append(try BonusHours(decoding: part)) }
        milestones = try [Milestone](decoding: message.milestones)
        shops = try Self.decoded(message.shops)
        guard self != .none else { throw CodecError(.damagedPayload, "the options are there and none is set") }
    }
}

/// The other shops as 16 bytes each, in ascending order, so that each set has only one stored form.
extension CampaignOptions {
    private static func encoded(_ shops: [ShopID]) throws(CodecError) -> [Data] {
        try checkOrder(shops)
        return shops.map { Data($0.value.bigEndianBytes) }
    }

    private static func decoded(_ parts: [Data]) throws(CodecError) -> [ShopID] {
        var shops: [ShopID] = []
        for part in parts {
            guard let value = UInt128(bigEndianBytes: part) else {
                throw CodecError(.fieldOutOfRange, "one of shops has \(part.count) bytes, not 16")
            }
            shops.append(ShopID(value))
        }
        try checkOrder(shops)
        return shops
    }

    private static func checkOrder(_ shops: [ShopID]) throws(CodecError) {
        _ = try WireRange.check(shops.count, WireRange.sharedShops, "shops")
        guard zip(shops, shops.dropFirst()).allSatisfy({ $0 < $1 }) else { throw CodecError(.fieldOutOfRange, "shops are not ascending") }
    }
}

extension BonusHours {
    private static let minutesOfDay = 0...1_439
    private static let endsOfHours = 1...1_440
    private static let factors = 2...5
    private static let weekdays = 1...0x7F

    fileprivate func encoded() throws(CodecError) -> Data {
        var message = WireCampaignBonus()
        message.days = try WireRange.wire(Int(days.rawValue), Self.weekdays, "days")
        message.fromMinute = try WireRange.wire(fromMinute, Self.minutesOfDay, "fromMinute")
        message.toMinute = try WireRange.wire(toMinute, Self.endsOfHours, "toMinute")
        message.factor = try WireRange.wire(factor, Self.factors, "factor")
        return try message.bytes("bonuses")
    }

    fileprivate init(decoding bytes: Data) throws(CodecError) {
        let message = try WireCampaignBonus(part: bytes, "bonuses")
        self.init(
            days: Weekdays(rawValue: UInt8(try WireRange.check(message.days, Self.weekdays, "days"))),
            fromMinute: try WireRange.check(message.fromMinute, Self.minutesOfDay, "fromMinute"),
            toMinute: try WireRange.check(message.toMinute, Self.endsOfHours, "toMinute"),
            factor: try WireRange.check(message.factor, Self.factors, "factor"))
    }
}

extension [Milestone] {
    func encoded() throws(CodecError) -> [Data] {
        try check()
        var parts: [Data] = []
        for milestone in self {
            var message = WireCampaignMilestone()
            message.at = try WireRange.wire(milestone.at, WireRange.milestone, "at")
            message.reward = milestone.reward.clearField
            message.sealedReward = try milestone.reward.sealedField("reward")
            parts.append(try message.bytes("milestones"))
        }
        return parts
    }

    init(decoding parts: [Data]) throws(CodecError) {
        self = []
        for part in parts {
            let message = try WireCampaignMilestone(part: part, "milestones")
            append(
                Milestone(
                    at: try WireRange.check(message.at, WireRange.milestone, "at"),
                    reward: try TypedText(clear: message.reward, sealed: message.sealedReward, "reward")))
        }
        try check()
    }

    private func check() throws(CodecError) {
        _ = try WireRange.check(count, WireRange.milestones, "milestones")
        guard zip(self, dropFirst()).allSatisfy({ $0.at < $1.at }) else { throw CodecError(.fieldOutOfRange, "milestones do not ascend") }
    }
}

extension Message {
    fileprivate func bytes(_ field: StaticString) throws(CodecError) -> Data {
        do { return try serializedBytes() } catch {
            throw CodecError(.damagedPayload, "\(field) does not encode: \(error)")
        }
    }

    /// Refuses unknown fields.
    fileprivate init(part bytes: Data, _ field: StaticString) throws(CodecError) {
        do { try self.init(serializedBytes: bytes) } catch {
            throw CodecError(.damagedPayload, "\(field) does not decode: \(error)")
        }
        guard unknownFields.data.isEmpty else { throw CodecError(.damagedPayload, "\(field) has unknown fields") }
    }
}
