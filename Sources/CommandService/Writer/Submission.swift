public import EventLog
public import Loyalty
public import LoyaltyCodec

/// One command on its way to the writer.
package struct Submission: Sendable {
    let command: Command
    let caller: Caller
    /// When it happened; `nil` for now, by the writer's clock. An import hands in the visits' own times.
    let at: Instant?
    /// When it was offered to the writer, for the time that it waited.
    var offered = ContinuousClock.now
    /// Nil where the request is not traced.
    package var times: CommandTimes?

    package init(command: Command, caller: Caller, at: Instant?) {
        (self.command, self.caller, self.at) = (command, caller, at)
    }
}

/// The sender of a command, and its idempotency key.
public struct Caller: Hashable, Sendable {
    public let account: AccountID
    /// The keyed hashes of the idempotency key and of the request; `nil` where the caller sent no key.
    public let mark: RequestMark?

    public init(account: AccountID, mark: RequestMark? = nil) {
        self.account = account
        self.mark = mark
    }

    /// The caller of commands for what happens by itself.
    static let system = Caller(account: .system)
}

/// An accepted command: what it added to the log, durable by the time anyone sees this.
public struct Acceptance: Hashable, Sendable {
    /// The position of the last event, or the head where the command changed nothing.
    public let position: Position
    /// The facts in log order; empty if the command changed nothing.
    public let facts: [Fact]
    /// Every card that `facts` touched, in the order of first touch, as it stood at `position`.
    public let cards: [Card]
    /// This is the answer to an earlier request with the same idempotency key; nothing was added now.
    public let isReplay: Bool

    public init(position: Position, facts: [Fact], cards: [Card], isReplay: Bool) {
        self.position = position
        self.facts = facts
        self.cards = cards
        self.isReplay = isReplay
    }
}

/// Why a command got no acceptance.
public enum ServiceError: Error, Hashable, Sendable {
    /// The rules refuse it; nothing was changed.
    case rejected(Rejection)
    /// The same idempotency key was used for a different request.
    case idempotencyKeyReused
    /// A verification code was not looked at: too many wrong ones; worth another try after so many seconds.
    case tooManyTries(seconds: Int64)
    /// Cards wait for the number, and would be lost to a person who took it for another account; nothing was changed.
    case cardsWaiting
    /// The writer's queue is full; nothing was changed; try again in a moment.
    case overloaded
    /// The service is shutting down, or it stopped for good after a commit of unknown outcome. Retrying the request with its
    /// idempotency key after the restart gives the truth.
    case stopping
    /// Reading the log failed. The text is for the operator's log, never for the client.
    case failed(String)
}
