/// Everything that somebody can ask for. Ids, secrets and sealed text are made by the caller: a decision draws nothing.
public enum Command: Hashable, Sendable {
    case registerAccount(RegisterAccount)
    case startSession(StartSession)
    case refreshSession(RefreshSession)
    case endSession(EndSession)
    case openShop(OpenShop)
    case publishCampaign(PublishCampaign)
    case endCampaign(EndCampaign)
    case issueCode(IssueCode)
    case destroyCode(DestroyCode)
    case stamp(Stamp)
    case discardCard(DiscardCard)
    case requestRedemption(RequestRedemption)
    case redeem(Redeem)
    case postReview(PostReview)
    case postReply(PostReply)
}
