internal import Synchronization

/// Appends from any task under the conditions of the DCB specification: the log's writer for applications that decide outside of it.
///
/// ``decide(on:newest:attempts:_:)`` reads the events that a decision depends on, decides, appends, and repeats this when another
/// append came in between. ``append(_:unless:)`` is the last step alone, for a caller that read with
/// ``EventSource/read(_:after:backwards:limit:)``. Check and append are one step, and many callers share a flush. If the writer itself
/// can make the decisions, ``GroupCommit`` with an own decider saves the reads and the retries.
///
/// A writer has the log's ``Appender`` from its first moment until it is stopped. ``EventLog/EventLog/withWriter(queueLimit:_:)`` stops
/// it at the end of a scope. A writer that is released without a stop finishes the appends that it has taken, and then returns the appender
/// and the log by itself; a program that opens the log again MUST stop it, because only a stop waits for that moment.
public final class LogWriter: Sendable {
    private let commits: GroupCommit<AppendDecider>
    /// Nil once stopped, so that a writer that nobody uses any more keeps no files open.
    private let log: Mutex<EventLog?>

    /// The writer of a log, started.
    ///
    /// It becomes the log's appender on a thread of its own. If it cannot, every append throws the reason:
    /// ``EventLogError/Code-swift.struct/appenderTaken`` if the log has an ``Appender`` or another writer,
    /// ``EventLogError/Code-swift.struct/readOnly``, ``EventLogError/Code-swift.struct/closed``.
    ///
    /// - Parameters:
    ///   - log: opened for writing, without an appender.
    ///   - queueLimit: appends that may wait; more are refused at once.
    ///   - onFailure: called once with the reason why the writer stopped for good: end the process then.
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
    /// - Returns: their positions, when they are on disk.
    /// - Throws: ``EventLogError/Code-swift.struct/conditionFailed`` with the ``AppendConflict``: the positions and the item that broke it;
    ///   ``EventLogError/Code-swift.struct/invalidQuery``, also for no events; ``EventLogError/Code-swift.struct/afterBeyondHead``;
    ///   ``EventLogError/Code-swift.struct/recordTooLarge``, ``EventLogError/Code-swift.struct/tooManyTags``,
    ///   ``EventLogError/Code-swift.struct/schemaConflict``; ``EventLogError/Code-swift.struct/queueFull``,
    ///   ``EventLogError/Code-swift.struct/writerStopped``, ``EventLogError/Code-swift.struct/closed``, and what the initializer says:
    ///   nothing was appended. ``EventLogError/Code-swift.struct/stopped``: the outcome is unknown.
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

    /// As ``shutDown()``, for plain threads: blocks. Close the log after it.
    @available(*, noasync)
    public func stop() {
        commits.stop()
        log.withLock { $0 = nil }
    }

    /// Finishes the appends that wait, returns the appender to the log, and stops. Close the log after it.
    ///
    /// A cancelled task waits as well: what was taken is finished. A second call does nothing.
    public func shutDown() async {
        await commits.shutDown()
        log.withLock { $0 = nil }
    }

    /// The log that it writes.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/writerStopped``.
    func running() throws(EventLogError) -> EventLog {
        guard let log = log.withLock({ $0 }) else { throw EventLogError(.stopped, cause: commits.failure) }
        return log
    }
}

extension EventLog {
    /// Runs `body` with a writer of this log, and stops the writer when `body` has returned or thrown.
    ///
    /// - Parameters:
    ///   - queueLimit: appends that may wait; more are refused at once.
    ///   - body: the work; it MUST NOT keep the writer.
    /// - Throws: what `body` throws.
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

    /// Opens the log in `folder` for writing, runs `body` with it and a writer, then stops the writer and closes the log, also if
    /// `body` throws.
    ///
    /// - Parameters:
    ///   - folder: holds the log in `log` and its index in `index`; both are made if they are missing.
    ///   - schema: the names of the application's numbers.
    ///   - created: the present moment, stored if the log is made.
    ///   - options: limits, and the step that makes a batch durable.
    ///   - body: the work; it MUST NOT keep the log or the writer, because the folder stays in use as long as either is kept.
    /// - Throws: what ``init(directory:index:schema:access:created:options:)``, `body` or ``close()`` throws; the first error if there are
    ///   several.
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
            // The error of the work is the one to report; a failed close loses nothing, because the next opening completes the index.
            try? log.close()
            throw error
        }
        try log.close()
        return value
    }
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
