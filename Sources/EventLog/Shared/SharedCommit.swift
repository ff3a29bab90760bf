package import Merkle
internal import Synchronization

/// Durability on several machines: a batch is durable when a ``SharedLog`` has stored it, and then the local log.
///
/// The local log never has an event that the shared log lacks, so nothing is ever rolled back: a node that fails in between reads the entry
/// from the shared log.
///
/// One request is under way at a time, until its outcome is known. If its answer is lost, the head tells: the new bytes mean that it was
/// carried out, the old ones that it can be sent again, and any others that another process writes. A copy that arrives late finds another
/// head than it expects, and changes nothing.
package final class SharedCommit: BatchDurability {
    let log: any SharedLog
    private let key: EntryKey
    private let process: UInt64
    private let pauseSeconds: @Sendable (_ attempt: Int) -> Double
    private let wake = ThreadSemaphore()
    /// The time from which a call without an answer ends; nil until the writer stops, and after the next claim.
    private let deadline = Mutex<ContinuousClock.Instant?>(nil)
    /// When the local commit that is under way began.
    private let localSince = Mutex<ContinuousClock.Instant?>(nil)
    /// Nil before a claim.
    let entries = Mutex<OwnEntries?>(nil)

    /// Creates a step that commits nothing before ``claim(as:at:root:)``.
    ///
    /// - Parameters:
    ///   - process: a random number, of which 48 bits are used; two steps MUST NOT have the same.
    ///   - pauseSeconds: the pause after an unanswered request, whose number counts from 0.
    package init(
        _ log: any SharedLog, key: EntryKey, process: UInt64, pauseSeconds: @escaping @Sendable (_ attempt: Int) -> Double = growingPause
    ) {
        (self.log, self.key, self.process, self.pauseSeconds) = (log, key, process, pauseSeconds)
    }

    /// From ten milliseconds to a second.
    @Sendable package static func growingPause(after attempt: Int) -> Double { min(1, 0.01 * Double(1 << min(attempt, 7))) }

    /// Makes this process the writer of a log that has exactly the events of the shared log.
    ///
    /// - Parameters:
    ///   - position: the local log's head, which the caller MUST keep until this returns.
    ///   - root: the local log's root there.
    /// - Throws: ``EventLogError`` `.superseded` if the shared log has more events or another process was faster, `.engineBehind` if it has
    ///   fewer, `.logMismatch` if it has others; `.unreachable` only after ``giveUp(afterSeconds:)``.
    @discardableResult
    package func claim(as node: NodeName, at position: Position, root: NodeHash) throws(EventLogError) -> Head {
        let old = try untilAnswered { () throws(EventLogError) in try log.head() }
        let own = Head(term: old?.term ?? 0, writer: old?.writer ?? node, process: process, position: position, root: root)
        if (old?.position ?? .start, old?.root ?? TreeHasher.emptyRoot) != (position, root) {
            throw EventLogError(found: old, insteadOf: own)
        }
        let new = Head(term: own.term + 1, writer: node, process: process, position: position, root: root)
        try settle(new, replacing: old) { () throws(EventLogError) in try log.claim(replacing: old, as: new) }
        entries.withLock { $0 = OwnEntries(since: new) }
        deadline.withLock { $0 = nil }
        return new
    }

    package var isShared: Bool { true }

    /// Appends the batch to the shared log, then commits it locally. Blocks until the outcome is known.
    ///
    /// - Throws: ``EventLogError`` `.superseded`, `.engineBehind`, `.logMismatch`: the shared log may still have the batch, from an attempt
    ///   whose answer was lost; `.unreachable` only after ``giveUp(afterSeconds:)``; errors of the local commit.
    package func makeDurable(
        _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
    ) throws(EventLogError) {
        let old = try claimed()
        let entry = Entry(batch, term: old.term, before: old.root, key: key)
        let new = old.advanced(by: entry)
        try settle(new, replacing: old) { () throws(EventLogError) in try log.append(entry, replacing: old) }
        // A crash here leaves the batch in the shared log alone. No caller has an answer, and the next start adopts the entry.
        entries.withLock { $0?.append(entry, leadingTo: new) }
        localSince.withLock { $0 = .now }
        defer { localSince.withLock { $0 = nil } }
        do throws(EventLogError) { try commitLocally(batch) } catch {
            // Another node will have the batch, so a full disk is no proof here that nothing was stored.
            guard error.isOutOfSpace else { throw error }
            throw EventLogError(.io, "the batch is in the shared log, and not on this disk: \(error.detail)")
        }
    }

    /// Requires that the shared log ends with this process's last batch.
    ///
    /// - Throws: as ``makeDurable(_:commitLocally:)``.
    package func confirm() throws(EventLogError) {
        let own = try claimed()
        let now = try untilAnswered { () throws(EventLogError) in try log.head() }
        if now != own { throw EventLogError(found: now, insteadOf: own) }
    }

    /// Ends the attempts of calls that get no answer in time, until the next claim; their outcome stays unknown. Any thread may call.
    package func giveUp(afterSeconds seconds: Double = 0) {
        let end = ContinuousClock.now + .seconds(seconds)
        deadline.withLock { $0 = min($0 ?? end, end) }
        wake.signal()
    }

    /// Seconds for which this machine's disk has not finished a commit; nil without one. Any thread may call.
    package func localCommitSeconds(now: ContinuousClock.Instant = .now) -> Double? {
        localSince.withLock { $0 }.map { (now - $0) / .seconds(1) }
    }

    private func claimed() throws(EventLogError) -> Head {
        if let head = entries.withLock({ $0?.head }) { return head }
        throw EventLogError(.superseded, "this process has not claimed the shared log.")
    }

    /// Sends a request until its outcome is known.
    private func settle(
        _ new: Head, replacing old: Head?, _ send: () throws(EventLogError) -> SharedLogAnswer
    ) throws(EventLogError) {
        var wasSent = false
        try untilAnswered { () throws(EventLogError) in
            if wasSent {
                let now = try log.head()
                if now == new { return }
                if now != old { throw EventLogError(found: now, insteadOf: old) }
            }
            wasSent = true
            // The new head itself: an earlier attempt arrived after the head was read.
            if case .superseded(let now) = try send(), now != new { throw EventLogError(found: now, insteadOf: old) }
        }
    }

    private func untilAnswered<Answer>(_ ask: () throws(EventLogError) -> Answer) throws(EventLogError) -> Answer {
        var attempt = 0
        while true {
            do throws(EventLogError) { return try ask() } catch {
                guard error.code == .unreachable, pause(after: attempt) else { throw error }
                attempt += 1
            }
        }
    }

    /// False once the time for answers is over.
    private func pause(after attempt: Int) -> Bool {
        let secondsLeft = deadline.withLock { $0 }.map { ($0 - .now) / .seconds(1) } ?? .infinity
        if secondsLeft <= 0 { return false }
        // A signal ends the pause early, so that the deadline is read again.
        _ = wake.wait(seconds: min(pauseSeconds(attempt), secondsLeft))
        return true
    }
}
