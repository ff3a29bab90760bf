internal import Synchronization

/// Appends from any task under the conditions of the DCB specification. This is the log's writer for applications that make their decisions
/// outside of the writer.
///
/// ``decide(on:newest:attempts:_:)`` reads the events that a decision depends on, decides and appends. It repeats this if a conflicting
/// event was appended meanwhile. ``append(_:unless:)`` is the last step alone, for a caller that has read with
/// ``EventSource/read(_:after:backwards:limit:)``. Check and append are one step, and many callers share a flush. If the writer itself can
/// make the decisions, ``GroupCommit`` with a custom decider saves the reads and the retries.
///
/// A writer holds the log's ``Appender`` from its creation until it is stopped. ``EventLog/EventLog/withWriter(queueLimit:_:)`` stops it at
/// the end of a scope. A writer that is released without a stop finishes its pending appends, and then releases the appender and the log in
/// the background. A program that reopens the log MUST stop the writer, because only a stop waits until the appender and the log are
/// released.
public final class LogWriter: Sendable {
    private let commits: GroupCommit<AppendDecider>
    /// The log; nil once the writer is stopped, so that a stopped writer keeps no files open.
    private let log: Mutex<EventLog?>

    /// Creates and starts the writer of a log.
    ///
    /// The writer takes the log's appender on a separate thread. If that fails, every append throws the reason:
    /// ``EventLogError/Code-swift.struct/appenderTaken`` if the log has an ``Appender`` or another writer,
    /// ``EventLogError/Code-swift.struct/readOnly``, ``EventLogError/Code-swift.struct/closed``.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, without an appender.
    ///   - queueLimit: the maximum number of waiting appends; further ones are refused at once.
    ///   - onFailure: called once with the reason for a permanent stop, after which the process should end.
    public init(
        _ log: EventLog, queueLimit: Int = LogLimits.waitingRequestsMax, onFailure: @escaping @Sendable (any Error) -> Void = { _ in }
    ) {
        self.log = Mutex(log)
        commits = GroupCommit(log: log, queueLimit: queueLimit, onFailure: onFailure) { AppendDecider(appender: $0) }
        commits.start()
    }

    deinit { commits.beginStop() }

    /// Appends events, all of them or none, unless an event matches the condition.
    ///
    /// - Returns: the events' positions, once the events are on disk.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``: the conflicting positions and the item
    ///   that matched; ``EventLogError/Code-swift.struct/invalidQuery``, also for no events;
    ///   ``EventLogError/Code-swift.struct/afterBeyondHead``; ``EventLogError/Code-swift.struct/recordTooLarge``,
    ///   ``EventLogError/Code-swift.struct/tooManyTags``, ``EventLogError/Code-swift.struct/schemaConflict``;
    ///   ``EventLogError/Code-swift.struct/queueFull``, ``EventLogError/Code-swift.struct/writerStopped``,
    ///   ``EventLogError/Code-swift.struct/closed``, and the errors that the initializer names: nothing was appended.
    ///   ``EventLogError/Code-swift.struct/stopped``: the outcome is unknown.
    @discardableResult
    public func append(_ events: [NewEvent], unless condition: AppendCondition? = nil) async throws(EventLogError) -> ClosedRange<Position>
    {
        let outcome: Result<ClosedRange<Position>, EventLogError>
        do throws(GroupCommitRefusal) {
            outcome = try await commits.submit(AppendRequest(events: events, condition: condition))
        } catch {
            throw EventLogError(error, cause: commits.failure)
        }
        return try outcome.get()
    }

    /// Like ``shutDown()``, but for plain threads: blocks. Close the log afterwards.
    @available(*, noasync)
    public func stop() {
        commits.stop()
        log.withLock { $0 = nil }
    }

    /// Finishes the waiting appends, releases the log's appender, and stops. Close the log afterwards.
    ///
    /// Even in a cancelled task it waits until accepted appends are finished. A second call does nothing.
    public func shutDown() async {
        await commits.shutDown()
        log.withLock { $0 = nil }
    }

    /// The log to which the writer appends.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/writerStopped`` after an orderly stop; otherwise the error that stopped the writer.
    func running() throws(EventLogError) -> EventLog {
        guard let log = log.withLock({ $0 }) else { throw EventLogError(.stopped, cause: commits.failure) }
        return log
    }
}

extension EventLog {
    /// Runs `body` with a writer of this log, and stops the writer when `body` has returned or thrown.
    ///
    /// - Parameters:
    ///   - queueLimit: the maximum number of waiting appends; further ones are refused at once.
    ///   - body: the work; it MUST NOT keep the writer.
    /// - Throws: errors of `body`.
    @discardableResult
    public func withWriter<Value>(
        queueLimit: Int = LogLimits.waitingRequestsMax, _ body: (LogWriter) async throws -> Value
    ) async throws -> Value {
        let writer = LogWriter(self, queueLimit: queueLimit)
        let outcome: Result<Value, any Error>
        do { outcome = .success(try await body(writer)) } catch { outcome = .failure(error) }
        await writer.shutDown()
        return try outcome.get()
    }

    /// Opens the log in `folder` for writing and runs `body` with the log and a writer. Then stops the writer and closes the log, even if
    /// `body` throws.
    ///
    /// - Parameters:
    ///   - folder: holds the log in `log` and its index in `index`; both are created if they are missing.
    ///   - schema: the names of the application's numbers.
    ///   - created: the current time, stored if the log is created.
    ///   - options: limits, and the step that makes a batch durable.
    ///   - body: the work; it MUST NOT keep the log or the writer, because the folder stays in use as long as either is kept.
    /// - Throws: errors of ``init(directory:index:schema:access:created:options:)``, of `body` and of ``close()``; the first one if there
    ///   are several.
    @discardableResult
    public static func withWriter<Value>(
        in folder: String, schema: Schema, created: Timestamp, options: Options = .init(),
        _ body: (EventLog, LogWriter) async throws -> Value
    ) async throws -> Value {
        let log = try EventLog(
            directory: folder + "/log", index: folder + "/index", schema: schema, access: .readWrite, created: created, options: options)
        let value: Value
        do {
            value = try await log.withWriter { try await body(log, $0) }
        } catch {
            // Report the error of `body` and not that of the close. A failed close loses nothing, because the next opening completes the
            // index.
            try? log.close()
            throw error
        }
        try log.close()
        return value
    }
}

/// The events to append together, and the condition for the append.
struct AppendRequest: Sendable {
    let events: [NewEvent]
    let condition: AppendCondition?
}

/// Checks the condition of each append, and stages the events if the condition holds.
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
