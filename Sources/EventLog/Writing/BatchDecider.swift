/// Decides what waits for the writer: one request after the other, on one thread, each on what the ones before it have staged.
///
/// It is made on the writer's thread with the log's ``Appender``, and stages through it. ``GroupCommit`` does the rest.
public protocol BatchDecider: SendableMetatype {
    /// What is asked.
    associatedtype Request: Sendable
    /// What the asker hears, once everything staged by then is on disk.
    associatedtype Answer: Sendable

    /// Decides one request: stages its events, or none, and says what its sender is to be told.
    ///
    /// MUST leave nothing staged when it refuses, MUST NOT commit, and MUST NOT tell anybody anything by another way: what it has
    /// seen may not be durable yet. May block only as briefly as reading the log does.
    mutating func decide(_ request: Request) -> Answer
}
