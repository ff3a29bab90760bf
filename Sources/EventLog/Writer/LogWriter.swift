/// Appends from any task under the conditions of the DCB specification: the log's writer for applications that decide outside of it.
///
/// A caller reads the events that its decision depends on (``EventSource/read(_:after:backwards:limit:)``), decides, and appends under the
/// condition that nothing matching was added after the head of that read. Check and append are one step, and many callers share a flush. If
/// the writer itself can make the decisions, ``GroupCommit`` with a decider of one's own saves the reads and the retries.
public final class LogWriter: Sendable {
    private let commits: GroupCommit<AppendDecider>

    /// The writer of a log, started.
    ///
    /// - Parameters:
    ///   - log: opened for writing, without an appender.
    ///   - queueLimit: appends that may wait; more are refused at once.
    ///   - onFailure: told once why the writer stopped for good: end the process then.
    public init(
        _ log: EventLog, queueLimit: Int = LogLimits.waitingRequestsMax, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        commits = GroupCommit(log: log, queueLimit: queueLimit, onFailure: onFailure) { AppendDecider(appender: $0) }
        commits.start()
    }

    /// Appends events, all of them or none, unless an event matches the condition.
    ///
    /// - Returns: their positions, when they are on disk.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``: the positions and the item that broke it;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for no events; ``EventLogError/Code-swift.struct/afterBeyondHead``;
    ///   ``EventLogError/Code-swift.struct/recordTooLarge``, ``EventLogError/Code-swift.struct/tooManyTags``,
    ///   ``EventLogError/Code-swift.struct/schemaConflict``; ``EventLogError/Code-swift.struct/queueFull``: nothing was appended.
    ///   ``EventLogError/Code-swift.struct/stopped``: the outcome is unknown.
    @discardableResult
    public func append(_ events: [NewEvent], unless condition: AppendCondition? = nil) async throws(EventLogError) -> ClosedRange<Position>
    {
        let outcome: Result<ClosedRange<Position>, EventLogError>
        do throws(GroupCommitRefusal) {
            outcome = try await commits.submit(AppendRequest(events: events, condition: condition))
        } catch {
            throw EventLogError(error)
        }
        return try outcome.get()
    }

    /// Finishes what waits and stops. Blocks. Close the log after it.
    @available(*, noasync)
    public func stop() { commits.stop() }
}

/// Events to be appended together, and what must not have happened.
struct AppendRequest: Sendable {
    let events: [NewEvent]
    let condition: AppendCondition?
}

/// Checks conditions, and stages what passes.
struct AppendDecider: BatchDecider {
    let appender: Appender

    mutating func decide(_ request: AppendRequest) -> Result<ClosedRange<Position>, EventLogError> {
        do throws(EventLogError) {
            return .success(try appender.stage(request.events, unless: request.condition))
        } catch {
            return .failure(error)
        }
    }
}
