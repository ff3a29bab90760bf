import CommandService
import Composition
import Loyalty

/// The budget of an account: acts, or failures, of which it has a limited number in a period. Each case has the reason of its limit.
enum AccountBudget: Int, CaseIterable {
    /// Wrong stamp codes, and wrong codes of paper cards.
    case stampCodes
    /// Wrong redemption codes.
    case redemptionCodes
    /// Messages of feedback: without a limit, a program could fill the log with them.
    case feedback
    /// Uploads and take-downs of pictures: each upload costs a second of decoding, and disk space for a day.
    case pictures
    /// Photos of codes: each costs up to a second of decoding.
    case scans
    /// Wrong passwords and codes in requests to change the password.
    case passwordChanges
    /// Exports of the account's data: each reads the account's whole history.
    case exports
    /// Replies to reviews.
    case replies
    /// Reviews: each is shown to every visitor of the shop, and adds a permanent event.
    case reviews
    /// Notices: each goes to every customer of a shop.
    case notices
    /// Changes of favourites: each adds a permanent event.
    case favoriteChanges
    /// Edits of the profile: each adds a permanent event.
    case profileEdits
    /// Mutes of shops, and their ends: each adds a permanent event.
    case muteChanges
    /// Offers of work at a shop, and of a whole shop: each adds a permanent event, and reaches a person who did not ask for it.
    case invitations
    /// Phone numbers unknown to the service to which a member of staff gives stamps: enough for the new customers of a busy day.
    case strangerStamps
    /// Gifts of stamps to phone numbers by a member of staff, one every second and a half. Each may add a hundred events to the history of
    /// somebody who did not ask for them.
    case numberStamps
    /// Strips of codes and prints of paper cards: a strip adds up to a hundred events.
    case strips
    /// Sheets of paper cards that are drawn, including those that are drawn again for a retry.
    case sheets
    /// Changes of the account's phone number, and wrong codes for such changes: each change adds a permanent event.
    case phoneChanges
    /// An operator's searches for accounts, and changes of accounts' numbers. Each adds a permanent event, and the limit bounds the harm of
    /// a misused role.
    case operatorActs
    /// Questions of the page "What if".
    case whatIfs

    private static let daySeconds: Int64 = 86_400

    /// The maximum number, and the period in seconds: ten minutes or a day.
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
    /// Limits requests for redemption codes for each card, because each request adds an event to the card's history.
    let redemptionRequests: FailureBudget<CardID>
    /// Limits the accepted refreshes of each session's tokens.
    let refreshes: FailureBudget<SessionID>
    /// Limits, for each phone number, the sign-in requests that repeat an idempotency key with other content. Each may be a guess at the
    /// code or password in the first request with this key.
    let keyGuesses: FailureBudget<E164Number>
    /// Limits failed requests for the receipt of an account's erasure, by IPv4 address or IPv6 /48 network.
    let erasures: FailureBudget<ClientAddress>
    /// Limits wrong passwords at sign-in, and the computation of password hashes.
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
