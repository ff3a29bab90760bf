internal import Dispatch
internal import LMDB
internal import Synchronization

/// Extends a log by the entries of an ``EntrySource``, on a thread that has the log's only ``Appender`` until it has stopped.
///
/// The events of an entry are visible once they are checked and stored, so readers and subscribers see what they would see at the writer.
/// The thread keeps no state but the log: after a crash, the next follower resumes after the last stored event.
///
/// After ``stop()``, a writer or another follower can be started on the same open log. Stop it before the log is closed.
package final class LogFollower: Sendable {
    private let source: any EntrySource
    private let fallback: (any EntrySource)?
    private let key: EntryKey
    private let pauseSeconds: @Sendable (_ attempt: Int) -> Double
    private let prepare: @Sendable ([Entry]) throws(EventLogError) -> Void
    private let onFailure: @Sendable (EventLogError) -> Void
    /// Held by the thread alone, so that it can be reopened.
    private let log: Handoff<EventLog>
    private let head: HeadSignal
    private let state = Mutex(State())
    private let isStopping = Atomic(false)
    /// Signalled to end a pause.
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()

    private struct State {
        var answered, current: ContinuousClock.Instant?
        var failure: EventLogError?
        var hasFailed = false
    }

    /// The thread's attempts.
    struct Progress {
        /// The attempts since the last success.
        var attempt = 0
        var usesFallback = false
    }

    /// Creates a follower, which ``start()`` starts.
    ///
    /// - Parameters:
    ///   - log: must be open for writing, without an appender.
    ///   - key: the key with which the source's entries are sealed.
    ///   - fallback: has entries that the source has trimmed. It is asked for them until it has no more.
    ///   - pauseSeconds: the pause after an attempt that is repeated, whose number counts from 0.
    ///   - prepare: called with entries before they are stored, on the follower's thread. Nothing but their seal is checked then. Where it
    ///     throws `.unreachable`, they are asked for again.
    ///   - onFailure: called once, on the follower's thread, with the reason for a permanent stop. The log has no appender then, unless
    ///     the outcome of a commit is unknown. MUST NOT call ``stop()``.
    package init(
        log: EventLog, key: EntryKey, from source: any EntrySource, fallback: (any EntrySource)? = nil,
        pauseSeconds: @escaping @Sendable (_ attempt: Int) -> Double = SharedCommit.growingPause,
        prepare: @escaping @Sendable ([Entry]) throws(EventLogError) -> Void = { _ in },
        onFailure: @escaping @Sendable (EventLogError) -> Void
    ) {
        (self.source, self.fallback, self.key) = (source, fallback, key)
        (self.pauseSeconds, self.prepare, self.onFailure) = (pauseSeconds, prepare, onFailure)
        (self.log, head) = (Handoff(log), log.headSignal)
    }

    /// Starts the thread. A second call does nothing.
    package func start() { AwaitedThread.start("follower", in: ended) { [self] in run() } }

    /// Ends the thread and releases the log's appender. Blocks until a commit or a call of the source that is under way has returned; its
    /// entries are then not adopted.
    @available(*, noasync)
    package func stop() {
        beginStop()
        ended.wait()
    }

    /// Does the same as ``stop()`` without blocking a thread.
    package func shutDown() async {
        beginStop()
        await withCheckedContinuation { continuation in ended.notify(queue: .global()) { continuation.resume() } }
    }

    /// Does the same as ``stop()``, but returns at once.
    package func beginStop() {
        isStopping.store(true, ordering: .releasing)
        wake.signal()
    }

    /// The follower's status now.
    package var status: FollowerStatus {
        let (state, now) = (state.withLock { $0 }, ContinuousClock.now)
        return FollowerStatus(
            position: head.head, secondsSinceAnswer: state.answered.map { (now - $0) / .seconds(1) },
            secondsBehind: state.current.map { (now - $0) / .seconds(1) }, failure: state.failure, hasFailed: state.hasFailed)
    }

    // MARK: - The follower's thread

    private func run() {
        guard let failure = follow() else { return }
        state.withLock { ($0.failure, $0.hasFailed) = (failure, true) }
        onFailure(failure)
    }

    /// Returns the reason for a permanent stop, after the release of log and appender: therefore never inlined.
    @inline(never)
    private func follow() -> EventLogError? {
        guard let log = log.take() else { return nil }
        do throws(EventLogError) {
            let appender = try log.appender()
            var progress = Progress()
            while !isStopping.load(ordering: .acquiring) { sleep(seconds: try step(appender, &progress)) }
            return nil
        } catch { return error }
    }

    /// Adopts the next entries; returns the seconds until the next attempt.
    func step(_ appender: Appender, _ progress: inout Progress) throws(EventLogError) -> Double {
        let began = ContinuousClock.now
        do throws(EventLogError) {
            let isEmpty = try adoptNext(appender, usingFallback: progress.usesFallback)
            // An empty fallback is no success: the source has just refused.
            if isEmpty, progress.usesFallback {
                progress.usesFallback = false
                return pause(&progress)
            }
            progress.attempt = 0
            // Otherwise a source that does not wait for entries would keep a processor busy.
            return isEmpty ? LogLimits.followPollSeconds - (.now - began) / .seconds(1) : 0
        } catch {
            guard isRetried(error, usingFallback: progress.usesFallback) else { throw error }
            state.withLock { $0.failure = error }
            progress.usesFallback = error.code == .trimmed && !progress.usesFallback
            return pause(&progress)
        }
    }

    /// A full disk stored nothing, and an operator can make room while this process runs; a full map needs a restart. A second source may
    /// be behind this log, and catch up.
    private func isRetried(_ error: EventLogError, usingFallback: Bool) -> Bool {
        switch error.code {
        case .unreachable: true
        case .trimmed: fallback != nil
        case .afterBeyondHead, .engineBehind: usingFallback
        default: error.storage?.code == .diskFull
        }
    }

    private func pause(_ progress: inout Progress) -> Double {
        defer { progress.attempt += 1 }
        return pauseSeconds(progress.attempt)
    }

    /// An earlier pause may have consumed the signal to stop.
    @available(*, noasync)
    private func sleep(seconds: Double) { if seconds > 0, !isStopping.load(ordering: .acquiring) { _ = wake.wait(seconds: seconds) } }

    /// Returns whether there was nothing to adopt.
    private func adoptNext(_ appender: Appender, usingFallback: Bool) throws(EventLogError) -> Bool {
        let began = ContinuousClock.now
        let stored = try (usingFallback ? fallback ?? source : source).entries(after: appender.head, bytes: LogLimits.sharedBatchBytesMax)
        if isStopping.load(ordering: .acquiring) { return true }
        let (entries, bytes) = try read(stored, after: appender)
        if !entries.isEmpty { try prepare(entries) }
        try appender.adopt(entries)
        let now = ContinuousClock.now
        state.withLock { state in
            state.answered = now
            if !usingFallback, bytes < LogLimits.sharedBatchBytesMax / 2 { state.current = began }
            if !usingFallback || !entries.isEmpty { state.failure = nil }
        }
        return entries.isEmpty
    }

    /// The entries of an answer, which may come from anywhere: no more of them than were asked for.
    private func read(_ stored: [[UInt8]], after appender: Appender) throws(EventLogError) -> (entries: [Entry], bytes: Int) {
        let position = appender.head
        var (entries, bytes): ([Entry], Int) = ([], 0)
        for one in stored {
            if !entries.isEmpty, bytes + one.count > LogLimits.sharedBatchBytesMax { break }
            let entry = try Entry(one, key: key)
            if let last = entries.last?.last, entry.first > last.next {
                // A shared log that was begun anew lacks events, but has more.
                bytes = LogLimits.sharedBatchBytesMax
                break
            }
            entries.append(entry)
            bytes += one.count
        }
        guard let first = entries.first else { return ([], 0) }
        if first.first > position.next { throw EventLogError(trimmed: position.next...Position(first.first.rawValue - 1)) }
        // A second source divides the events otherwise, so this log can end inside an entry.
        if first.first <= position, first.last > position {
            entries[0] = first.rest(after: position, root: try appender.log.root(through: position))
        }
        return (entries, bytes)
    }
}

/// The progress of a ``LogFollower``.
package struct FollowerStatus: Sendable {
    /// The last event that was adopted, or that the log had before.
    package let position: Position
    /// Seconds since the source's last answer that could be adopted or was empty; nil before the first.
    package let secondsSinceAnswer: Double?
    /// This log has every event that the source had so many seconds ago; nil before it has caught up for the first time.
    package let secondsBehind: Double?
    /// The reason of the last attempt's failure; nil after a success.
    package let failure: EventLogError?
    /// The failure is final, and the thread has ended. Otherwise it tries again.
    package let hasFailed: Bool
}
