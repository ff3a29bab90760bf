/// All commands of the domain. The caller makes ids, secrets and sealed texts, because a decision must not draw random numbers.
public enum Command: Hashable, Sendable {
    case registerAccount(RegisterAccount)
    case startSession(StartSession)
    case refreshSession(RefreshSession)
    case endSession(EndSession)
    case endSessions(EndSessions)
    case editProfile(EditProfile)
    case setPassword(SetPassword)
    case removePassword(RemovePassword)
    case eraseAccount(EraseAccount)
    case changePhone(ChangePhone)
    case requestPhoneChange(RequestPhoneChange)
    case objectToPhoneChange(ObjectToPhoneChange)
    case completePhoneChange(CompletePhoneChange)
    case suspendAccount(SuspendAccount)
    case reinstateAccount(ReinstateAccount)
    case noteSearch(NoteSearch)
    case openShop(OpenShop)
    case editShop(EditShop)
    case closeShop(CloseShop)
    case inviteStaff(InviteStaff)
    case acceptInvitation(AcceptInvitation)
    case declineInvitation(DeclineInvitation)
    case withdrawInvitation(WithdrawInvitation)
    case offerTransfer(OfferTransfer)
    case withdrawTransfer(WithdrawTransfer)
    case lapseTransfer(LapseTransfer)
    case removeStaff(RemoveStaff)
    case leaveShop(LeaveShop)
    case suspendShop(SuspendShop)
    case reinstateShop(ReinstateShop)
    case publishCampaign(PublishCampaign)
    case endCampaign(EndCampaign)
    case reopenCampaign(ReopenCampaign)
    case editCampaign(EditCampaign)
    case issueCode(IssueCode)
    case issueStrip(IssueStrip)
    case destroyCode(DestroyCode)
    case destroyCodes(DestroyCodes)
    case stamp(Stamp)
    case giveStamps(GiveStamps)
    case claimCoupon(ClaimCoupon)
    case printPapers(PrintPapers)
    case stampPaper(StampPaper)
    case takePaper(TakePaper)
    case takeWaitingCard(TakeWaitingCard)
    case discardCard(DiscardCard)
    case adjustCard(AdjustCard)
    case ageCard(AgeCard)
    case reverseStamp(ReverseStamp)
    case requestRedemption(RequestRedemption)
    case redeem(Redeem)
    case reverseRedemption(ReverseRedemption)
    case postReview(PostReview)
    case postReply(PostReply)
    case removeReview(RemoveReview)
    case postNotice(PostNotice)
    case withdrawNotice(WithdrawNotice)
    case publishNotice(PublishNotice)
    case readNotice(ReadNotice)
    case muteShop(MuteShop)
    case unmuteShop(UnmuteShop)
    case giveFeedback(GiveFeedback)
    case takeDownImage(TakeDownImage)
    case addFavorite(AddFavorite)
    case removeFavorite(RemoveFavorite)
}

extension Command {
    /// Decides this command by the facts that it looks up in `past`.
    ///
    /// - Returns: the events to append, in order, or the rejection. No events means that the command is accepted and changes nothing.
    /// - Throws: only errors of a look-up in `past`; then nothing is decided.
    public func decide<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        let judged = try judge(in: &past, by: actor, at: now)
        guard case .success(let events) = judged else { return judged }
        if try isSuspended(events, in: &past, by: actor) { return .failure(.accountSuspended) }
        return try refusal(of: events, in: &past, by: actor, at: now).map { .failure($0) } ?? judged
    }

    private func judge<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        switch self {
        case .registerAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .startSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .refreshSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .endSession(let command): try command.judge(in: &past, by: actor, at: now)
        case .endSessions(let command): try command.judge(in: &past, by: actor, at: now)
        case .editProfile(let command): try command.judge(in: &past, by: actor, at: now)
        case .setPassword(let command): try command.judge(in: &past, by: actor, at: now)
        case .removePassword(let command): try command.judge(in: &past, by: actor, at: now)
        case .eraseAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .changePhone(let command): try command.judge(in: &past, by: actor, at: now)
        case .requestPhoneChange(let command): try command.judge(in: &past, by: actor, at: now)
        case .objectToPhoneChange(let command): try command.judge(in: &past, by: actor, at: now)
        case .completePhoneChange(let command): try command.judge(in: &past, by: actor, at: now)
        case .suspendAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .reinstateAccount(let command): try command.judge(in: &past, by: actor, at: now)
        case .noteSearch(let command): try command.judge(in: &past, by: actor, at: now)
        case .openShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .editShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .closeShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .inviteStaff(let command): try command.judge(in: &past, by: actor, at: now)
        case .acceptInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .declineInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .withdrawInvitation(let command): try command.judge(in: &past, by: actor, at: now)
        case .offerTransfer(let command): try command.judge(in: &past, by: actor, at: now)
        case .withdrawTransfer(let command): try command.judge(in: &past, by: actor, at: now)
        case .lapseTransfer(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeStaff(let command): try command.judge(in: &past, by: actor, at: now)
        case .leaveShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .suspendShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .reinstateShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .publishCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .endCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .reopenCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .editCampaign(let command): try command.judge(in: &past, by: actor, at: now)
        case .issueCode(let command): try command.judge(in: &past, by: actor, at: now)
        case .issueStrip(let command): try command.judge(in: &past, by: actor, at: now)
        case .destroyCode(let command): try command.judge(in: &past, by: actor, at: now)
        case .destroyCodes(let command): try command.judge(in: &past, by: actor, at: now)
        case .stamp(let command): try command.judge(in: &past, by: actor, at: now)
        case .giveStamps(let command): try command.judge(in: &past, by: actor, at: now)
        case .claimCoupon(let command): try command.judge(in: &past, by: actor, at: now)
        case .printPapers(let command): try command.judge(in: &past, by: actor, at: now)
        case .stampPaper(let command): try command.judge(in: &past, by: actor, at: now)
        case .takePaper(let command): try command.judge(in: &past, by: actor, at: now)
        case .takeWaitingCard, .discardCard: try judgeCard(in: &past, by: actor, at: now)
        case .reverseStamp(let command): try command.judge(in: &past, by: actor, at: now)
        case .adjustCard(let command): try command.judge(in: &past, by: actor, at: now)
        case .ageCard(let command): try command.judge(in: &past, by: actor, at: now)
        case .requestRedemption(let command): try command.judge(in: &past, by: actor, at: now)
        case .redeem(let command): try command.judge(in: &past, by: actor, at: now)
        case .reverseRedemption(let command): try command.judge(in: &past, by: actor, at: now)
        case .postReview(let command): try command.judge(in: &past, by: actor, at: now)
        case .postReply(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeReview(let command): try command.judge(in: &past, by: actor, at: now)
        case .postNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .withdrawNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .publishNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .readNotice(let command): try command.judge(in: &past, by: actor, at: now)
        case .muteShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .unmuteShop(let command): try command.judge(in: &past, by: actor, at: now)
        case .giveFeedback(let command): try command.judge(in: &past, by: actor, at: now)
        case .takeDownImage(let command): try command.judge(in: &past, by: actor, at: now)
        case .addFavorite(let command): try command.judge(in: &past, by: actor, at: now)
        case .removeFavorite(let command): try command.judge(in: &past, by: actor, at: now)
        }
    }
}

extension Command {
    /// Judges a command by which an account gets a card or gives it up.
    private func judgeCard<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        switch self {
        case .takeWaitingCard(let command): try command.judge(in: &past, by: actor, at: now)
        case .discardCard(let command): try command.judge(in: &past, by: actor, at: now)
        default: .failure(.notFound)
        }
    }
}

/// The two steps of every command: first load the facts that the decision needs, then decide by a pure function.
///
/// The steps are separate so that a decision can be tested, replayed and read without a store. `Situation` has all facts that a decision
/// may use. Only the `situation` functions read the past, so only they can fail with a read error.
public protocol Decision: Hashable, Sendable {
    associatedtype Situation: Sendable

    /// Gathers the facts that `decide` needs. It MUST NOT decide anything; a thing that does not exist is `nil` in the situation.
    func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation

    /// Gathers the facts as of `now`, for commands whose facts depend on the time of the decision.
    func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation

    /// Decides the command. It MUST be a pure function of its arguments. No events means that the command is accepted and changes nothing.
    func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent]
}

extension Decision {
    /// The default, for the many commands whose facts do not depend on the time of the decision.
    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation {
        try situation(in: &past, by: actor)
    }

    /// Loads the facts and decides. A rejection is returned as a result, so a thrown error always means a failed look-up.
    public func judge<P: Past>(
        in past: inout P, by actor: AccountID, at now: Instant
    ) throws(P.Failure) -> Result<[LoyaltyEvent], Rejection> {
        let situation = try situation(in: &past, by: actor, at: now)
        do throws(Rejection) {
            return .success(try decide(situation, by: actor, at: now))
        } catch {
            return .failure(error)
        }
    }
}

/// The reason why a command was rejected. A rejected command changes nothing. The layers above map each case to a text and an HTTP status.
public enum Rejection: Error, Hashable, Sendable {
    /// The thing that the command names does not exist, or the actor must not know that it exists.
    case notFound
    case forbidden
    /// The actor works for the shop, but their role does not allow the command.
    case roleRequired
    /// The actor owns or works for the shop, and therefore cannot review it.
    case ownShop
    /// An account that owns or works for a shop neither gains stamps nor redeems cards there as a customer, and takes back no stamps or
    /// rewards of its own cards.
    case ownCampaign
    /// An operator has suspended the shop.
    case suspended
    /// An operator has suspended the actor's account.
    case accountSuspended
    /// The shop has closed for good: its owner closed it, or the owner's account was erased.
    case shopClosed
    /// The account already owns the maximum number of open shops, or of shops in all.
    case alreadyMerchant
    case campaignNotRunning
    /// The campaign is over, was ended more than a day ago, or its cards can no longer be redeemed.
    case campaignOver
    case codeNotOpen
    case cardNotFull
    /// The card has fewer stamps than the milestone needs, is redeemed, discarded or expired, or the milestone was redeemed.
    case milestoneNotOpen
    /// The account has filled the maximum number of cards of the campaign, or the paper card has no room for the code's stamps.
    case cardLimitReached
    /// The account has already claimed the campaign's coupon. The present state of the coupon does not matter.
    case couponClaimed
    /// The offer to work for a shop or to own it was already accepted, declined or withdrawn, or it has lapsed.
    case offerNotOpen
    /// The reward or the stamps cannot be taken back: for example, they were never given, were given too long ago, or were already taken
    /// back.
    case notReversible
    /// The campaign's caps do not allow this account more stamps for now. The code stays valid until it expires.
    case stampedTooOften(retryAfterSeconds: Int64)
    /// The card's history is very long. The card gets its next redemption code only after a pause, see ``Limits/requestedHistoryMax``.
    case requestedTooOften(retryAfterSeconds: Int64)
    /// The code is unknown, used, destroyed, expired, or of another campaign. All these cases have one answer, so that a guesser learns
    /// nothing.
    case codeNotValid
    /// The paper card cannot be used here. For example, its code is unknown or forged, the paper card was already added to an account, or
    /// the paper's campaign is over, or is not the campaign that the counter named. All these cases have one answer, so that a guesser
    /// learns nothing.
    case paperNotValid
    /// The redemption code cannot be used here. For example, it is unknown, used, expired, replaced or of another shop, or its holder's
    /// account is suspended. All these cases have one answer, so that a guesser learns nothing.
    case redemptionNotValid
    /// The session is unknown or has ended, or the refresh token is not the session's current token.
    case sessionNotValid
    /// The password is not the present password of the account, or the account's phone number has changed since the caller verified it.
    case passwordNotValid
    /// The derived code or hash is already in use. The caller derives another one with the next attempt number, and retries.
    case secretTaken
    /// The thing to edit has changed since the editor read it, or since the caller sealed texts for it.
    case versionConflict
    /// The editor did not name the version that they read, although the command requires it.
    case versionRequired
    case invalid([InvalidField])
}
