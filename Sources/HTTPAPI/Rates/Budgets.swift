import CommandService
import Composition
import Loyalty

/// Acts or failures that an account may have a limited number of in a period.
enum AccountBudget: Int, CaseIterable {
    /// Also wrong codes of paper cards.
    case stampCodes
    case redemptionCodes
    /// A program could fill the log.
    case feedback
    /// Each upload costs a second of decoding, and disk space for a day.
    case pictures
    /// Each costs up to a second of decoding.
    case scans
    case passwordChanges
    /// Each reads the account's whole history.
    case exports
    case replies
    /// Each is shown to every visitor, and adds a permanent event.
    case reviews
    /// Each goes to every customer of a shop.
    case notices
    /// Each adds a permanent event.
    case favoriteChanges
    /// Each adds a permanent event.
    case profileEdits
    /// Each adds a permanent event.
    case muteChanges
    /// Each adds a permanent event and reaches a person who did not ask for it.
    case invitations
    /// Unknown numbers that get stamps from a member of staff: enough for a busy day's new customers.
    case strangerStamps
    /// One every second and a half: each may add a hundred events to the history of somebody who did not ask.
    case numberStamps
    /// Also prints of paper cards. A strip adds up to a hundred events.
    case strips
    /// Also those drawn again for a retry.
    case sheets
    /// Also wrong codes. Each change adds a permanent event.
    case phoneChanges
    /// Each adds a permanent event; the limit bounds the harm of a misused role.
    case operatorActs
    case whatIfs

    private static let daySeconds: Int64 = 86_400

    /// Per ten minutes or a day.
    var limit: (most: Int, seconds: Int64) {
        switch self {
        case .stampCodes, .redemptionCodes, .feedback, .passwordChanges: (Limits.failuresMax, Limits.failureWindowSeconds)
        case .notices, .exports: (10, Limits.failureWindowSeconds)
        case .sheets: (20, Limits.failureWindowSeconds)
        case .pictures, .reviews: (30, Limits.failureWindowSeconds)
        case .profileEdits, .muteChanges, .strips, .operatorActs, .whatIfs: (60, Limits.failureWindowSeconds)
        case .scans: (120, Limits.failureWindowSeconds)
        case .replies: (200, Limits.failureWindowSeconds)
        case .favoriteChanges: (300, Limits.failureWindowSeconds)
        case .numberStamps: (400, Limits.failureWindowSeconds)
        case .phoneChanges: (Limits.failuresMax, Self.daySeconds)
        case .invitations: (60, Self.daySeconds)
        case .strangerStamps: (300, Self.daySeconds)
        }
    }
}

/// The budgets of accounts and of other keys.
struct Budgets: Sendable {
    private let accounts: [FailureBudget<AccountID>]
    /// Each request lengthens the card's history.
    let redemptionRequests: FailureBudget<CardID>
    let refreshes: FailureBudget<SessionID>
    /// Sign-in requests that repeat an idempotency key with other content. Each may be a guess at a code or password.
    let keyGuesses: FailureBudget<E164Number>
    /// By IPv4 address or IPv6 /48.
    let erasures: FailureBudget<ClientAddress>
    let passwords: PasswordBudget

    init(clock: any Clock) {
        accounts = AccountBudget.allCases.map { FailureBudget(clock: clock, failuresMax: $0.limit.most, windowSeconds: $0.limit.seconds) }
        redemptionRequests = FailureBudget(clock: clock, failuresMax: Limits.redemptionRequestsMax)
        refreshes = FailureBudget(clock: clock, failuresMax: Limits.refreshesMax)
        keyGuesses = FailureBudget(clock: clock)
        erasures = FailureBudget(clock: clock)
        passwords = PasswordBudget(clock: clock)
    }

    subscript(_ budget: AccountBudget) -> FailureBudget<AccountID> { accounts[budget.rawValue] }
}
