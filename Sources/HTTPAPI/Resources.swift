import CommandService
import Loyalty
import LoyaltyCodec

/// What every route works with. A structure: as a class it made the compiler's (6.3.1) release code of a stamp's handler jump to address 0.
struct Resources: Sendable {
    let service: GreenTea
    let configuration: API.Configuration
    private let address: PublicAddress
    let tokens: TokenSigner
    let gate: Gate
    let cursors: CursorSeal
    /// Wrong stamp codes, by account.
    let stampBudget: FailureBudget<AccountID>
    /// Wrong redemption codes, by account.
    let redemptionBudget: FailureBudget<AccountID>
    /// Redemption codes asked for, by card: each is an event of its history.
    let redemptionRequestBudget: FailureBudget<CardID>
    /// Text messages; nil where none is sent.
    let messageCaps: MessageCaps?
    /// Other requests under a sign-in's key, by phone: each may be a guess.
    let keyGuessBudget: FailureBudget<E164Number>
    /// Feedback given, by account.
    let feedbackBudget: FailureBudget<AccountID>
    /// Pictures sent, by account.
    let imageBudget: FailureBudget<AccountID>
    /// Wrong passwords at sign-in, and hashes of passwords.
    let passwordBudget: PasswordBudget
    /// Wrong passwords where one is to be changed, by account.
    let passwordChangeBudget: FailureBudget<AccountID>
    /// Exports, by account.
    let exportBudget: FailureBudget<AccountID>
    /// Refreshes that were accepted, by session.
    let refreshBudget: FailureBudget<SessionID>
    /// Replies, by account.
    let replyBudget: FailureBudget<AccountID>
    /// Reviews, by account.
    let reviewBudget: FailureBudget<AccountID>
    /// Notices, by account.
    let noticeBudget: FailureBudget<AccountID>
    /// Favourites added and removed, by account.
    let favoriteBudget: FailureBudget<AccountID>
    /// Edits of profiles, by account.
    let profileBudget: FailureBudget<AccountID>
    /// Offers to work at a shop, by the account that makes them.
    let invitationBudget: FailureBudget<AccountID>
    /// Shops muted and heard again, by account.
    let muteBudget: FailureBudget<AccountID>
    /// Pictures that are being received.
    let imageSlots = Slots<AccountID>(Limits.imagesReceivedMax, perKey: Limits.imagesReceivedPerAccountMax)
    /// Exports that are being made.
    let exportSlots = Slots<AccountID>(Limits.exportsAtOnceMax, perKey: Limits.exportsAtOnceMax)
    /// Recent sign-in and refresh answers, by idempotency key.
    let sessionAnswers: SessionAnswers
    /// Recent refresh answers, by the token that was spent.
    let refreshAnswers: SessionAnswers

    /// Whether the log has told of a header that is not believed.
    let proxyWarning = FirstTime()

    init(service: GreenTea, configuration: API.Configuration) throws {
        self.service = service
        self.configuration = configuration
        address = PublicAddress(configuration.publicURL)
        let seed = service.keys.tokenSigningSeed
        tokens = try TokenSigner(seed: seed)
        gate = Gate(service: service, tokens: tokens, rate: configuration.requestRates?.account)
        cursors = CursorSeal(seed: seed)
        stampBudget = FailureBudget(clock: service.clock)
        redemptionBudget = FailureBudget(clock: service.clock)
        redemptionRequestBudget = FailureBudget(clock: service.clock, failuresMax: Limits.redemptionRequestsMax)
        messageCaps = configuration.messageLimits.map { MessageCaps($0) }
        keyGuessBudget = FailureBudget(clock: service.clock)
        feedbackBudget = FailureBudget(clock: service.clock)
        imageBudget = FailureBudget(clock: service.clock, failuresMax: Limits.imagesMax)
        passwordBudget = PasswordBudget(clock: service.clock)
        passwordChangeBudget = FailureBudget(clock: service.clock)
        exportBudget = FailureBudget(clock: service.clock, failuresMax: Limits.exportsMax)
        refreshBudget = FailureBudget(clock: service.clock, failuresMax: Limits.refreshesMax)
        replyBudget = FailureBudget(clock: service.clock, failuresMax: Limits.repliesMax)
        reviewBudget = FailureBudget(clock: service.clock, failuresMax: Limits.reviewsMax)
        noticeBudget = FailureBudget(clock: service.clock, failuresMax: Limits.noticesMax)
        favoriteBudget = FailureBudget(clock: service.clock, failuresMax: Limits.favoriteChangesMax)
        profileBudget = FailureBudget(clock: service.clock, failuresMax: Limits.profileEditsMax)
        invitationBudget = FailureBudget(
            clock: service.clock, failuresMax: Limits.invitationsMax, windowSeconds: Limits.invitationWindowSeconds)
        muteBudget = FailureBudget(clock: service.clock, failuresMax: Limits.muteChangesMax)
        sessionAnswers = SessionAnswers(clock: service.clock, seconds: Limits.sessionAnswerSeconds)
        refreshAnswers = SessionAnswers(clock: service.clock, seconds: Limits.refreshGraceSeconds)
    }

    /// What codes and links begin with, without a slash at the end.
    var publicURL: String { address.text }

    /// Tells under which address people reach the service.
    func reached(at url: String) { address.change(to: url) }

    var now: Instant { service.clock.now() }

    /// The time that nobody sets, for what is to end after a while.
    var steadyNow: Instant { service.clock.steady() }
}
