internal import Synchronization

/// Appends from any task under the conditions of the DCB specification, for applications that decide outside of the writer.
///
/// ``decide(on:newest:attempts:_:)`` reads, decides and appends, and repeats this after a conflict. ``append(_:unless:)`` is the last step
/// alone. Check and append are one step, and many callers share a flush. ``GroupCommit`` with a custom decider saves reads and retries.
///
/// A writer holds the log's ``Appender`` until it is stopped, as by ``EventLog/EventLog/withWriter(queueLimit:_:)``. If it is released
/// without a stop, it finishes pending appends in the background. A program that reopens the log MUST stop it, because only a stop waits
/// for that.
public final class LogWriter: Sendable {
    private let commits: GroupCommit<AppendDecider>
    /// Nil once stopped, so that a stopped writer keeps no files open.
    private let log: Mutex<EventLog?>

    /// Creates and starts the writer of a log.
    ///
    /// If it cannot take the appender, every append throws the reason: ``EventLogError`` `.appenderTaken`, `.readOnly`, `.closed`.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, without an appender.
    ///   - queueLimit: the maximum waiting appends; further ones are refused at once.
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
    /// - Throws: with nothing appended, ``EventLogError`` `.conditionFailed` with the ``AppendConflict``; `.invalidQuery`, also for no
    ///   events; `.afterBeyondHead`, `.recordTooLarge`, `.tooManyTags`, `.schemaConflict`, `.queueFull`, `.writerStopped`, `.closed`, and
    ///   the errors that the initializer names. `.stopped`: the outcome is unknown.
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

    /// Does the same as ``shutDown()`` for plain threads: blocks. Close the log afterwards.
    @available(*, noasync)
    public func stop() {
        commits.stop()
        log.withLock { $0 = nil }
    }

    /// Finishes the waiting appends, even in a cancelled task, releases the log's appender, and stops. Close the log afterwards. A second
    /// call does nothing.
    public func shutDown() async {
        await commits.shutDown()
        log.withLock { $0 = nil }
    }

    /// - Throws: ``EventLogError`` `.writerStopped` after an orderly stop; otherwise the error that stopped the writer.
    func running() throws(EventLogError) -> EventLog {
        guard let log = log.withLock({ $0 }) else { throw EventLogError(.stopped, cause: commits.failure) }
        return log
    }
}

extension EventLog {
    /// Runs `body` with a writer of this log, and then stops the writer.
    ///
    /// - Parameters:
    ///   - queueLimit: the maximum waiting appends; further ones are refused at once.
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

    /// Opens the log in `folder` for writing and runs `body` with it and a writer. Then stops the writer and closes the log, even if `body`
    /// throws.
    ///
    /// - Parameters:
    ///   - folder: holds the log in `log` and its index in `index`; both are created if missing.
    ///   - schema: the names of the application's numbers.
    ///   - created: the current time, stored if the log is created.
    ///   - options: limits, and the step that makes a batch durable.
    ///   - body: the work; it MUST NOT keep the log or the writer, which keep the folder in use.
    /// - Throws: the first error of ``init(directory:index:schema:access:created:options:)``, of `body` and of ``close()``.
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
            // A failed close loses nothing, because the next opening completes the index.
            try? log.close()
            throw error
        }
        try log.close()
        return value
    }
}

struct AppendRequest: Sendable {
    let events: [NewEvent]
    let condition: AppendCondition?
}

/// Stages the events of each append whose condition holds.
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
