/// Which personal datum some sealed bytes are. It is authenticated: a review's text cannot be passed off as a phone number.
public enum SealedField: String, Hashable, Sendable, CaseIterable {
    /// Of an account, in E.164.
    case phone = "greentea/v1/sealed/phone"
    /// What a person is called.
    case nickname = "greentea/v1/sealed/nickname"
    /// The id of a person's image.
    case avatar = "greentea/v1/sealed/avatar"
    case gender = "greentea/v1/sealed/gender"
    /// YYYY-MM-DD.
    case birthday = "greentea/v1/sealed/birthday"
    case city = "greentea/v1/sealed/city"
    /// A slow hash of a password, with its method and salt.
    case password = "greentea/v1/sealed/password"
    /// What a review says.
    case reviewText = "greentea/v1/sealed/review-text"
    /// What a reply says.
    case replyText = "greentea/v1/sealed/reply-text"
    /// What a notice is called.
    case noticeTitle = "greentea/v1/sealed/notice-title"
    /// What a notice says.
    case noticeText = "greentea/v1/sealed/notice-text"
    /// What somebody told the operator.
    case feedbackText = "greentea/v1/sealed/feedback-text"
    /// Why something was reversed, adjusted or suspended.
    case reason = "greentea/v1/sealed/reason"
    /// How people find a shop and reach it.
    case shopContact = "greentea/v1/sealed/shop-contact"
    /// What a campaign is called.
    case campaignTitle = "greentea/v1/sealed/campaign-title"
    /// What else a campaign says.
    case campaignDetails = "greentea/v1/sealed/campaign-details"
    /// What a full card is redeemed for.
    case campaignReward = "greentea/v1/sealed/campaign-reward"
}
