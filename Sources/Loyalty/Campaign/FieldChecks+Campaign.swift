/// What a campaign says, whether it is published or edited.
extension FieldChecks {
    /// What a sealed text says was checked in the clear; here its bytes, which bound the event record.
    mutating func require(sealed text: TypedText?, _ field: String) {
        guard case .sealed(let sealed) = text else { return }
        require(Limits.sealedCampaignTextBytes.contains(sealed.bytes.count), field, "is too long")
    }

    mutating func require(_ caps: StampCaps) {
        if let stamps = caps.stampsPerDayMax { require(stamps, in: Limits.stampsPerDay, "stampsPerDayMax") }
        if let seconds = caps.minimumGapSeconds { require(seconds, in: Limits.minimumGapSeconds, "minimumGapSeconds") }
    }
}

extension CampaignKind {
    /// A card is filled for something; a promotion need not promise anything.
    var rewardLimit: TextLimit {
        switch self {
        case .stampCard: Limits.stampCardReward
        case .promotion: Limits.promotionReward
        }
    }
}
