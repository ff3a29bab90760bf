/// Why a command was refused. It changes nothing; the layers above give each case its words and its status.
public enum Rejection: Error, Hashable, Sendable {
    /// The thing does not exist, or the actor may not even know of it.
    case notFound
    case forbidden
    /// Nobody reviews a shop that they own or work for.
    case ownShop
    /// Nobody stamps or redeems a card of a shop that they own or work for.
    case ownCampaign
    /// An operator has closed the shop's counter, or nobody owns the shop any more.
    case suspended
    case alreadyMerchant
    case campaignNotRunning
    case codeNotOpen
    case cardNotFull
    /// The offer was accepted, declined or withdrawn before, or has lapsed.
    case offerNotOpen
    /// The reward was never handed out, or too long ago, or was taken back before.
    case notReversible
    /// The campaign's caps let this account gain no more for now. The code is good, and stays so for its time.
    case stampedTooOften(retryAfterSeconds: Int64)
    /// Unknown, used, destroyed, expired, or of another campaign: on purpose one answer.
    case codeNotValid
    /// Unknown, used, expired, replaced, or of another shop: on purpose one answer.
    case redemptionNotValid
    /// The session is unknown, over, or its token was not the current one.
    case sessionNotValid
    /// The password is not the one that the account has.
    case passwordNotValid
    /// The derived code collides with one that exists; the caller derives the next and asks again.
    case secretTaken
    /// The thing was changed since the editor saw it.
    case versionConflict
    /// The editor does not say what they saw.
    case versionRequired
    case invalid([InvalidField])
}
