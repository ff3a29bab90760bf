public import EventLog
internal import LMDB
public import Loyalty
public import LoyaltyCodec

/// One command on its way to the writer.
package struct Submission: Sendable {
    let command: Command
    let caller: Caller
    /// The time of the command; `nil` for the present time of the writer's clock. An import passes the times of past visits. The scheduler
    /// passes ``ForwardClock/passed()`` for commands about cards and offers, and so does a command that depends on a requested phone number
    /// which is due by the writer's clock.
    let at: Instant?
    /// The time at which the command was offered to the writer. The command's wait is measured from then on.
    var offered = ContinuousClock.now
    /// The times of the command's stages, for its trace; nil if the request is not traced.
    package var times: CommandTimes?
    /// Counts the rows that the decision reads, for the request that sent the command.
    let meter = ReadMeter.current

    package init(command: Command, caller: Caller, at: Instant?) {
        (self.command, self.caller, self.at) = (command, caller, at)
    }
}

/// The sender of a command, and its idempotency key.
public struct Caller: Hashable, Sendable {
    public let account: AccountID
    /// The keyed hashes of the idempotency key and of the request; `nil` if the caller sent no key.
    public let mark: RequestMark?

    public init(account: AccountID, mark: RequestMark? = nil) {
        self.account = account
        self.mark = mark
    }

    /// The caller of the scheduler's commands, which no person sends.
    static let system = Caller(account: .system)
}

/// The result of an accepted command: its events, which are durable before any caller sees this.
public struct Acceptance: Hashable, Sendable {
    /// The position of the last event, or the head if the command changed nothing.
    public let position: Position
    /// The facts, the oldest first; empty if the command changed nothing.
    public let facts: [Fact]
    /// The cards that `facts` changed, in the order of their first changes, as they are at `position`. Cards that only expired are left
    /// out. Empty for a command of the scheduler.
    public let cards: [Card]
    /// Whether this is the answer to an earlier request with the same idempotency key. If so, no event was added now.
    public let isReplay: Bool

    public init(position: Position, facts: [Fact], cards: [Card], isReplay: Bool) {
        self.position = position
        self.facts = facts
        self.cards = cards
        self.isReplay = isReplay
    }
}

/// The reason why a command was not carried out.
public enum ServiceError: Error, Hashable, Sendable {
    /// The rules reject the command; nothing was changed.
    case rejected(Rejection)
    /// The same idempotency key was used for a different request.
    case idempotencyKeyReused
    /// Nothing was done; a retry makes sense after this many seconds. Either too many wrong verification codes were entered, so the code
    /// was not checked, or the phone number may go to another account at that time.
    case tooManyTries(seconds: Int64)
    /// The writer's queue is full and nothing was changed; retry in a moment.
    case overloaded
    /// The service is shutting down, or the writer has stopped after a failure, such as a failed commit. A retry with the same idempotency
    /// key after the restart gets the outcome.
    case stopping
    /// The service itself failed, for example to read the log or to seal a text. The text is for the operator's log, not for the client.
    case failed(String)
}

extension ServiceError {
    /// Maps an error of a store: a full disk is no fault of the service, and a retry succeeds when there is room. With damaged keys, a
    /// retry succeeds after the restart with a copy of them.
    ///
    /// - Parameter act: what failed, before the cause in the operator's log.
    public init(storage error: any Error, _ act: String = "") {
        self =
            switch error as? KeyStoreError {
            case .damaged, .removed, .lockDamaged: .stopping
            default: WriterEnd.isOutOfSpace(error) ? .overloaded : .failed("\(act)\(error)")
            }
    }
}
