/// What a campaign says, whether it is published or edited.
extension FieldChecks {
    mutating func require(_ caps: StampCaps) {
        if let stamps = caps.stampsPerDayMax { require(stamps, in: Limits.stampsPerDay, "stampsPerDayMax") }
        if let seconds = caps.minimumGapSeconds { require(seconds, in: Limits.minimumGapSeconds, "minimumGapSeconds") }
    }
}
