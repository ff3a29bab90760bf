/// Every command. Ids, secrets and sealed text are made by the caller, because a decision draws no randomness.
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
    /// Judges this command against all that has happened.
    ///
    /// - Returns: The events to append, in order; none where everything asked for is so already; or why it was refused.
    /// - Throws: Only what `past` throws while looking; nothing is decided then.
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
        case .discardCard(let command): try command.judge(in: &past, by: actor, at: now)
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

/// The fixed skeleton of every command: first load what the decision needs, then decide purely.
///
/// The two halves are apart so that a decision can be tested, replayed and read without a store: all that it may know is in
/// `Situation`, and all that can fail while looking stays in `situation(in:by:)`.
public protocol Decision: Hashable, Sendable {
    associatedtype Situation: Sendable

    /// Gathers the facts that `decide` needs. It MUST NOT judge; a thing that is not there is a `nil` in the situation.
    func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation

    /// The same at a moment, for decisions whose facts depend on it.
    func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation

    /// Judges. It MUST be a pure function of its arguments; no events means "accepted, and nothing is left to do".
    func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent]
}

extension Decision {
    /// Most decisions need the same facts at every moment.
    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation {
        try situation(in: &past, by: actor)
    }

    /// Loads and decides; a rejection is a result, so that what is thrown is only ever a failure to look.
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

/// Why a command was refused. It changes nothing; the layers above give each case its words and its status.
public enum Rejection: Error, Hashable, Sendable {
    /// The thing does not exist, or the actor may not even know of it.
    case notFound
    case forbidden
    /// The actor works for the shop, in a role that may not do this.
    case roleRequired
    /// Nobody reviews a shop that they own or work for.
    case ownShop
    /// Nobody stamps or redeems a card of a shop that they own or work for.
    case ownCampaign
    /// An operator has closed the shop's counter.
    case suspended
    /// An operator has suspended the actor's account.
    case accountSuspended
    /// The shop has closed for good: its owner closed it, or was erased.
    case shopClosed
    /// The account owns as many open shops as one may.
    case alreadyMerchant
    case campaignNotRunning
    /// The campaign is past its time, or was ended more than a day ago.
    case campaignOver
    case codeNotOpen
    case cardNotFull
    /// The card has fewer stamps than its milestone asks for, is spent, or the milestone was redeemed.
    case milestoneNotOpen
    /// The account has filled as many cards of the campaign as it may.
    case cardLimitReached
    /// The account has claimed the campaign's coupon before, whatever became of it.
    case couponClaimed
    /// The offer was accepted, declined or withdrawn before, or has lapsed.
    case offerNotOpen
    /// The reward was never handed out, or too long ago, or was taken back before.
    case notReversible
    /// The campaign's caps let this account gain no more for now. The code is good, and stays so for its time.
    case stampedTooOften(retryAfterSeconds: Int64)
    /// So many codes were asked for this card that it gets the next only after a while.
    case requestedTooOften(retryAfterSeconds: Int64)
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
