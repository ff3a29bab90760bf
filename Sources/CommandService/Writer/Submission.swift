public import EventLog
internal import LMDB
public import Loyalty
public import LoyaltyCodec

/// One command on its way to the writer.
package struct Submission: Sendable {
    let command: Command
    let caller: Caller
    /// Nil for the writer's time. An import passes the times of past visits. Commands about cards, offers and requested phone numbers that
    /// are due pass ``ForwardClock/passed()``.
    let at: Instant?
    var offered = ContinuousClock.now
    package var times: CommandTimes?
    let meter = ReadMeter.current

    package init(command: Command, caller: Caller, at: Instant?) { (self.command, self.caller, self.at) = (command, caller, at) }
}

/// The sender of a command, and its idempotency key.
public struct Caller: Hashable, Sendable {
    public let account: AccountID
    public let mark: RequestMark?

    public init(account: AccountID, mark: RequestMark? = nil) { (self.account, self.mark) = (account, mark) }

    static let system = Caller(account: .system)
}

/// The events of an accepted command, durable before any caller sees them.
public struct Acceptance: Hashable, Sendable {
    /// The last event's position, or the head if nothing changed.
    public let position: Position
    public let facts: [Fact]
    /// As of `position`, in the order of their first changes, without cards that only expired. Empty for the scheduler.
    public let cards: [Card]
    public let isReplay: Bool

    public init(position: Position, facts: [Fact], cards: [Card], isReplay: Bool) {
        (self.position, self.facts, self.cards, self.isReplay) = (position, facts, cards, isReplay)
    }
}

/// The reason why a command was not carried out.
public enum ServiceError: Error, Hashable, Sendable {
    case rejected(Rejection)
    case idempotencyKeyReused
    /// Nothing was done: too many wrong codes were entered, or the phone number may go to another account then.
    case tooManyTries(seconds: Int64)
    /// The writer's queue is full; retry in a moment.
    case overloaded
    /// The writer has stopped. A retry with the same idempotency key after the restart gets the outcome.
    case stopping
    /// Nothing was done, because another node of the cluster writes.
    case notWriter
    /// Nothing was done: no other node has stored the keys or the picture; retry in a moment. The text is for the operator's log.
    case noSecondCopy(String)
    /// The shared log has not answered in time, and the command may still be carried out. A retry with the same idempotency key gets the
    /// outcome.
    case writerUnavailable
    /// The text is for the operator's log, not for the client.
    case failed(String)
}

extension ServiceError {
    /// Maps an error of a store; a full disk and damaged keys are retryable. An error of this type stays as it is.
    public init(storage error: any Error, _ act: String = "") {
        if let error = error as? Self {
            self = error
            return
        }
        self =
            switch error as? KeyStoreError {
            case .damaged, .removed, .lockDamaged: .stopping
            default:
                if (error as? LMDBError)?.code == .lockDamaged {
                    .stopping
                } else {
                    WriterEnd.isOutOfSpace(error) ? .overloaded : .failed("\(act)\(error)")
                }
            }
    }
}
