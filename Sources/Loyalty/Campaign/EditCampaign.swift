/// Change a campaign; owner only. `nil` leaves a field as it is.
public struct EditCampaign: Hashable, Sendable {
    public let campaign: CampaignID
    /// What the editor has seen.
    public let expected: ExpectedVersion
    public let title: String?
    public let details: String?
    /// Holds for cards that are opened later. A promotion has none, whatever is asked for.
    public let goal: Int?
    public let reward: String?
    public let startsAt: Instant?
    public let endsAt: Instant?
    /// That it exists is the caller's to know.
    public let image: Change<ImageID>
    public let stampsPerDayMax: Change<Int>
    public let minimumGapSeconds: Change<Int>
    /// The texts after the edit, sealed; `nil` where there are no keys.
    public var resealed: ResealedTexts?

    public init(
        campaign: CampaignID,
        expected: ExpectedVersion,
        title: String? = nil,
        details: String? = nil,
        goal: Int? = nil,
        reward: String? = nil,
        startsAt: Instant? = nil,
        endsAt: Instant? = nil,
        image: Change<ImageID> = .unchanged,
        stampsPerDayMax: Change<Int> = .unchanged,
        minimumGapSeconds: Change<Int> = .unchanged,
        resealed: ResealedTexts? = nil
    ) {
        self.campaign = campaign
        self.expected = expected
        self.title = title
        self.details = details
        self.goal = goal
        self.reward = reward
        self.startsAt = startsAt
        self.endsAt = endsAt
        self.image = image
        self.stampsPerDayMax = stampsPerDayMax
        self.minimumGapSeconds = minimumGapSeconds
        self.resealed = resealed
    }
}
