import Loyalty
import LoyaltyCodec

extension CampaignEditRequest {
    /// What the owner asks for, in the service's terms. The rules about it are the service's.
    ///
    /// - Throws: `invalidRequest` with everything that has no meaning at all.
    func command(for campaign: CampaignID, expecting expected: ExpectedVersion) throws -> EditCampaign {
        let (start, end) = (startsAt.map { Instant(rfc3339: $0) }, endsAt.map { Instant(rfc3339: $0) })
        var errors: [InvalidField] = []
        for (field, time) in [("startsAt", start), ("endsAt", end)] {
            guard case .some(.none) = time else { continue }
            errors.append(InvalidField(field: field, detail: "must be a time of RFC 3339: 2026-01-31T09:00:00Z"))
        }
        guard errors.isEmpty else { throw Problem(.invalidRequest, errors: errors) }
        return EditCampaign(
            campaign: campaign, expected: expected, title: title, details: details, goal: goal, reward: newReward,
            startsAt: start ?? nil, endsAt: end ?? nil, image: try newImage, stampsPerDayMax: stampsPerDayMax,
            minimumGapSeconds: minimumGapSeconds)
    }

    /// A promotion's reward may go, and then says nothing; the rules keep a stamp card from that.
    private var newReward: String? {
        switch reward {
        case .unchanged: nil
        case .removed: ""
        case .set(let text): text
        }
    }

    private var newImage: Change<ImageID> {
        get throws {
            switch image {
            case .unchanged: .unchanged
            case .removed: .removed
            case .set(let text): .set(try Resources.image(named: text, in: "image"))
            }
        }
    }
}
