/// Issue a one-time stamp code; owner or staff, while the campaign runs.
public struct IssueCode: Hashable, Sendable {
    public let code: CodeID
    public let campaign: CampaignID
    public let secret: Secret
    public let attempt: Int
    /// 1 to 10.
    public let stamps: Int
    /// Seconds, 1 to 86,400.
    public let validFor: Int

    public init(code: CodeID, campaign: CampaignID, secret: Secret, attempt: Int, stamps: Int, validFor: Int) {
        self.code = code
        self.campaign = campaign
        self.secret = secret
        self.attempt = attempt
        self.stamps = stamps
        self.validFor = validFor
    }
}
