import Loyalty

/// Random commands of owners and operators away from the counter.
extension Chaos {
    mutating func office() -> Command {
        switch number(in: 0..<100) {
        case 0..<10: Sample.edit(shop(), expected: version(), name: chance(90) ? "茶 \(number(in: 0..<3))" : "", images: images())
        case 10..<34: edit()
        case 34..<49: invitation()
        case 49..<52: transfer()
        case 52..<53: Sample.close(shop(), redeemUntil: now.advanced(bySeconds: Int64(number(in: -60..<(chance(50) ? 3_600 : 100_000)))))
        case 53..<58: chance(50) ? Sample.dismiss(account(), from: shop()) : Sample.leave(shop())
        case 58..<64: Sample.suspend(shop(), reason: chance(90) ? "Sells stamps" : "")
        case 64..<66: Sample.suspend(account(), reason: chance(90) ? "Sells stamps" : "")
        case 66..<72: Sample.reinstate(shop())
        case 72..<84: reverse(nil)
        default: adjust(nil)
        }
    }

    private mutating func invitation() -> Command {
        let invitation: InvitationID = invitation()
        return switch number(in: 0..<10) {
        case 0..<4: Sample.invite(account(), to: shop(), as: invitation, role: chance(50) ? .manager : chance(50) ? .counter : nil)
        case 4..<6: Sample.accept(invitation)
        case 6: Sample.decline(invitation)
        case 7: Sample.withdraw(invitation, of: shop())
        case 8: Sample.mute(shop())
        default: Sample.unmute(shop())
        }
    }

    private mutating func transfer() -> Command {
        chance(80) ? Sample.transfer(shop(), to: account(), as: invitation()) : Sample.keep(shop())
    }

    mutating func caps() -> StampCaps {
        let perDay = chance(95) ? number(in: 1..<4) : number(in: -1..<52)
        return StampCaps(stampsPerDayMax: chance(70) ? perDay : nil, minimumGapSeconds: chance(50) ? number(in: 1..<900) : nil)
    }

    mutating func options() -> CampaignOptions {
        let repeats = chance(95) ? number(in: 1..<3) : number(in: -1..<103)
        return CampaignOptions(
            repeats: chance(70) ? repeats : nil, welcomeStamps: chance(60) ? number(in: chance(95) ? 1..<3 : -1..<12) : nil,
            cardValidDays: chance(50) ? number(in: chance(95) ? 1..<4 : -1..<17) : nil, bonuses: chance(50) ? [bonus()] : [])
    }

    /// Draws bonus hours on random days, many of them over midnight.
    private mutating func bonus() -> BonusHours {
        BonusHours(
            days: Weekdays(rawValue: UInt8(number(in: chance(95) ? 1..<128 : 0..<130))), fromMinute: number(in: 0..<1_440),
            toMinute: number(in: 1..<1_441), factor: number(in: chance(95) ? 2..<4 : 0..<8))
    }

    /// Reverses the given redemption, or a random one.
    mutating func reverse(_ redemption: RedemptionID?) -> Command {
        Sample.reverse(redemption ?? anyRedemption(), reason: chance(95) ? "Wrong card" : "")
    }

    /// Adjusts the given card, or a random one.
    mutating func adjust(_ card: CardID?) -> Command {
        Sample.adjust(card ?? anyCard(), by: number(in: -3..<4), expected: version())
    }

    private mutating func version() -> ExpectedVersion {
        chance(90) ? .any : ExpectedVersion(oneOf: [UInt64(number(in: 1..<300))])
    }

    private mutating func images() -> [ImageID]? {
        chance(50) ? nil : (0..<number(in: 0..<3)).map { _ in ImageID(UInt128(number(in: 1..<4))) }
    }

    private mutating func edit() -> Command {
        let caps = caps()
        return Sample.edit(
            campaign(), expected: version(), title: chance(50) ? "\(number(in: 1..<9)) cups" : nil,
            goal: chance(50) ? number(in: chance(90) ? 1..<4 : -1..<52) : nil,
            to: chance(30) ? now.advanced(bySeconds: Int64(number(in: -60..<40_000))) : nil,
            stampsPerDayMax: chance(60) ? .removed : caps.stampsPerDayMax.map { .set($0) } ?? .unchanged,
            minimumGapSeconds: chance(60) ? .removed : caps.minimumGapSeconds.map { .set($0) } ?? .unchanged)
    }
}
