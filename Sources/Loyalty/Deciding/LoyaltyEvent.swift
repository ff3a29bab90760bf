/// Everything that can have happened. A new case needs a name, a number and bytes in `LoyaltyCodec`, for ever.
public enum LoyaltyEvent: Hashable, Sendable {
    case accountRegistered(AccountRegistered)
    case sessionStarted(SessionStarted)
    case sessionRefreshed(SessionRefreshed)
    case sessionEnded(SessionEnded)
    case shopOpened(ShopOpened)
    case campaignPublished(CampaignPublished)
    case campaignEnded(CampaignEnded)
    case codeIssued(CodeIssued)
    case codeDestroyed(CodeDestroyed)
    case cardOpened(CardOpened)
    case cardStamped(CardStamped)
    case cardDiscarded(CardDiscarded)
    case redemptionRequested(RedemptionRequested)
    case cardRedeemed(CardRedeemed)
    case reviewPosted(ReviewPosted)
    case replyPosted(ReplyPosted)
}
