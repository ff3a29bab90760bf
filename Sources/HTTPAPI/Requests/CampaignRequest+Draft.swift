import CommandService
import Loyalty
import LoyaltyCodec

extension CampaignRequest {
    /// What the merchant says, in the service's terms. The rules about it are the service's.
    ///
    /// - Throws: `invalidRequest` with everything that has no meaning at all.
    func draft() throws -> CampaignDraft {
        let (kind, start, end) = (CampaignKind(text: kind), Instant(rfc3339: startsAt), Instant(rfc3339: endsAt))
        var errors: [InvalidField] = []
        func require(_ condition: Bool, _ field: String, _ detail: String) {
            if !condition { errors.append(InvalidField(field: field, detail: detail)) }
        }
        require(kind != nil, "kind", "must be stampCard or promotion")
        require(kind != .stampCard || goal != nil, "goal", "is required for a stampCard")
        require(kind != .stampCard || reward != nil, "reward", "is required for a stampCard")
        require(start != nil, "startsAt", "must be a time of RFC 3339: 2026-01-31T09:00:00Z")
        require(end != nil, "endsAt", "must be a time of RFC 3339: 2026-01-31T09:00:00Z")
        guard errors.isEmpty, let kind, let start, let end else { throw Problem(.invalidRequest, errors: errors) }
        return CampaignDraft(
            kind: kind, title: title, details: details, goal: goal ?? 0, reward: reward ?? "", startsAt: start, endsAt: end,
            image: try image.map { try Resources.image(named: $0, in: "image") },
            caps: StampCaps(stampsPerDayMax: stampsPerDayMax, minimumGapSeconds: minimumGapSeconds))
    }
}
