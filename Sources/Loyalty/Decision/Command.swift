/// All commands of the domain. The caller makes ids, secrets and sealed texts, because a decision must not draw random numbers.
///
/// The largest two are `indirect`, so that a stamp's way does not move three times its bytes.
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
    case staff(StaffCommand)
    case suspendShop(SuspendShop)
    case reinstateShop(ReinstateShop)
    indirect case publishCampaign(PublishCampaign)
    case endCampaign(EndCampaign)
    case reopenCampaign(ReopenCampaign)
    indirect case editCampaign(EditCampaign)
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
    case search(SearchCommand)
}

extension Command {
    /// - Throws: only errors of a look-up in `past`; then nothing is decided.
    public func decide<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Judgement {
        let judged = try judge(in: &past, by: actor, at: now)
        guard case .success(let events) = judged else { return judged }
        if try isSuspended(events, in: &past, by: actor) { return .failure(.accountSuspended) }
        return try refusal(of: events, in: &past, by: actor, at: now).map { .failure($0) } ?? judged
    }

    /// Checked after the decision, whose refusal comes first.
    private func isSuspended<P: Past>(_ events: [LoyaltyEvent], in past: inout P, by actor: AccountID) throws(P.Failure) -> Bool {
        guard !events.isEmpty, !isAllowedToSuspended else { return false }
        return try past.account(actor)?.isSuspended == true
    }

    /// Commands that take something away from the account, or record what time alone causes.
    private var isAllowedToSuspended: Bool {
        switch self {
        case .eraseAccount, .endSession, .endSessions, .completePhoneChange: true
        default: false
        }
    }

    private func judge<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Judgement {
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
        case .staff(let command): try command.judge(in: &past, by: actor, at: now)
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
        case .takeWaitingCard(let command): try command.judge(in: &past, by: actor, at: now)
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
        case .search(let command): try command.judge(in: &past, by: actor, at: now)
        }
    }
}

/// Commands about saved searches.
public enum SearchCommand: Hashable, Sendable {
    case save(SaveSearch)
    case edit(EditSearch)
    case remove(RemoveSearch)
    case see(SeeSearch)
    indirect case alert(AlertSearch)

    fileprivate func judge<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Judgement {
        switch self {
        case .save(let command): try command.judge(in: &past, by: actor, at: now)
        case .edit(let command): try command.judge(in: &past, by: actor, at: now)
        case .remove(let command): try command.judge(in: &past, by: actor, at: now)
        case .see(let command): try command.judge(in: &past, by: actor, at: now)
        case .alert(let command): try command.judge(in: &past, by: actor, at: now)
        }
    }
}

/// Commands about the people of a shop.
public enum StaffCommand: Hashable, Sendable {
    case takeOffer(TakeWaitingOffer)
    case label(LabelStaff)
    case remove(RemoveStaff)
    case leave(LeaveShop)

    fileprivate func judge<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Judgement {
        switch self {
        case .takeOffer(let command): try command.judge(in: &past, by: actor, at: now)
        case .label(let command): try command.judge(in: &past, by: actor, at: now)
        case .remove(let command): try command.judge(in: &past, by: actor, at: now)
        case .leave(let command): try command.judge(in: &past, by: actor, at: now)
        }
    }
}

/// Made like every other command.
extension Command {
    public static func takeWaitingOffer(_ command: TakeWaitingOffer) -> Command { .staff(.takeOffer(command)) }
    public static func labelStaff(_ command: LabelStaff) -> Command { .staff(.label(command)) }
    public static func removeStaff(_ command: RemoveStaff) -> Command { .staff(.remove(command)) }
    public static func leaveShop(_ command: LeaveShop) -> Command { .staff(.leave(command)) }
}

/// The events to append, or the rejection. No events: accepted without a change.
public typealias Judgement = Result<[LoyaltyEvent], Rejection>

/// The two steps of every command: load the facts, then decide by a pure function, which can be tested and replayed without a store.
public protocol Decision: Hashable, Sendable {
    associatedtype Situation: Sendable

    /// Whether an unknown or erased actor is refused with `.notFound` before the first step. False at the first sign-in, and for what time
    /// alone causes.
    static var needsAccount: Bool { get }

    /// MUST NOT decide anything; a missing thing is `nil`.
    func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) -> Situation

    func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation

    /// MUST be pure. No events: accepted without a change.
    func decide(_ situation: Situation, by actor: AccountID, at now: Instant) throws(Rejection) -> [LoyaltyEvent]
}

extension Decision {
    public static var needsAccount: Bool { true }

    public func situation<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Situation {
        try situation(in: &past, by: actor)
    }

    /// Throws only for a failed look-up, never for a rejection.
    public func judge<P: Past>(in past: inout P, by actor: AccountID, at now: Instant) throws(P.Failure) -> Judgement {
        if Self.needsAccount, try past.account(actor) == nil { return .failure(.notFound) }
        let situation = try situation(in: &past, by: actor, at: now)
        do throws(Rejection) {
            return .success(try decide(situation, by: actor, at: now))
        } catch {
            return .failure(error)
        }
    }
}

extension Decision where Situation == Void {
    public func situation<P: Past>(in past: inout P, by actor: AccountID) throws(P.Failure) {}
}

/// The reason why a command was rejected. A rejected command changes nothing.
public enum Rejection: Error, Hashable, Sendable {
    /// The thing does not exist, or the actor must not know that it exists.
    case notFound
    case forbidden
    case roleRequired
    case ownShop
    /// An account of a shop is never its customer.
    case ownCampaign
    case suspended
    case accountSuspended
    case shopClosed
    /// The account owns the maximum number of open shops, or of shops in all.
    case alreadyMerchant
    case campaignNotRunning
    case campaignOver
    case codeNotOpen
    case cardNotFull
    /// The milestone was not reached or already redeemed, or its card is over.
    case milestoneNotOpen
    /// The account may fill no further card, or the paper card has no room for the stamps.
    case cardLimitReached
    case couponClaimed
    case offerNotOpen
    case notReversible
    /// The code stays valid until it expires.
    case stampedTooOften(retryAfterSeconds: Int64)
    case requestedTooOften(retryAfterSeconds: Int64)
    /// One answer for all faults of a code, so that a guesser learns nothing.
    case codeNotValid
    /// One answer, like ``codeNotValid``.
    case paperNotValid
    /// One answer, like ``codeNotValid``; also for a suspended holder.
    case redemptionNotValid
    case sessionNotValid
    /// The password is wrong, or the phone number has changed since the caller verified it.
    case passwordNotValid
    /// The caller retries with the next attempt number.
    case secretTaken
    case versionConflict
    /// The command requires the version that the editor read.
    case versionRequired
    case invalid([InvalidField])
}
