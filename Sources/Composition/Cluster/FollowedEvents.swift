package import CommandService
import Dispatch
package import EventLog
import Foundation
package import Loyalty
import LoyaltyCodec
import Synchronization

/// Carries out the events that a node adopts from another node.
///
/// One thread follows ended sessions. Another one destroys the keys of erased accounts and shops, then asks the other node for the keys,
/// phones and pictures that the events need. Neither a node without an answer nor a lost key delays an erasure or the end of a session.
///
/// The position through which all is done is durable in the key store. A crash repeats some work, which then finds most of it done.
package final class FollowedEvents: Sendable {
    /// How the service carries out what an event asks for. One thread calls, another one ``sessionEnded``. An act may be repeated after a
    /// crash.
    package struct Acts: Sendable {
        package var sessionEnded: @Sendable (SessionID) -> Void
        /// ``sessionEnded`` was called for all events through a position. The same thread calls.
        package var sessionsFollowed: @Sendable (Position) -> Void
        /// An operator has requested another number, which holds from a time on.
        package var phoneRequested: @Sendable (AccountID, Instant) -> Void
        /// Called before an account's key is destroyed: releases all of its pictures, and returns them.
        package var releasePictures: @Sendable (AccountID) throws -> Set<ImageID>
        /// Releases pictures, and removes those that nothing shows.
        package var removePictures: @Sendable (Set<ImageID>) throws -> Void
        package var lacksPicture: @Sendable (ImageID) throws -> Bool
        /// Stores what ``NodePeer/picture(_:)`` has returned.
        package var keepPicture: @Sendable (ImageID, [UInt8]) throws -> Void

        package init(
            sessionEnded: @escaping @Sendable (SessionID) -> Void = { _ in },
            sessionsFollowed: @escaping @Sendable (Position) -> Void = { _ in },
            phoneRequested: @escaping @Sendable (AccountID, Instant) -> Void = { _, _ in },
            releasePictures: @escaping @Sendable (AccountID) throws -> Set<ImageID> = { _ in [] },
            removePictures: @escaping @Sendable (Set<ImageID>) throws -> Void = { _ in },
            lacksPicture: @escaping @Sendable (ImageID) throws -> Bool = { _ in false },
            keepPicture: @escaping @Sendable (ImageID, [UInt8]) throws -> Void = { _, _ in }
        ) {
            (self.sessionEnded, self.sessionsFollowed, self.phoneRequested) = (sessionEnded, sessionsFollowed, phoneRequested)
            (self.releasePictures, self.removePictures) = (releasePictures, removePictures)
            (self.lacksPicture, self.keepPicture) = (lacksPicture, keepPicture)
        }
    }

    /// The progress, for operators.
    package struct Status: Sendable {
        /// All events through this position are followed; only ``awaited`` keys may be missing.
        package var position: Position
        /// The keys that events through this position erase are destroyed.
        package var erasedThrough: Position
        /// The sessions that events through this position end are reported.
        package var sessionsEndedThrough: Position
        /// The events after ``position``.
        package var lag: UInt64 = 0
        /// Accounts and shops whose key the other node did not have either, at the last count.
        package var awaited = 0
        /// The reason why the last step failed, which is retried, and since when all have.
        package var failure: (reason: String, seconds: Double)?
    }

    private struct State {
        var status: Status
        var failingSince: ContinuousClock.Instant?
    }

    let log: EventLog
    let keyStore: KeyStore
    let peer: any NodePeer
    let acts: Acts
    private let sessionsAfter: Position
    private let state: Mutex<State>
    private let isStopped = Atomic(false)
    private let wake = ThreadSemaphore()
    private let ended = DispatchGroup()

    /// - Parameter log: a session that ended before this call is not reported, so that whoever remembers open sessions MUST begin later.
    /// - Throws: the storage's errors.
    @available(*, noasync)
    package init(log: EventLog, keyStore: KeyStore, peer: any NodePeer, acts: Acts) throws {
        (self.log, self.keyStore, self.peer, self.acts) = (log, keyStore, peer, acts)
        sessionsAfter = log.head
        let position = try keyStore.followed(in: log)
        // Noted before the first event, so that a node that is killed early still compares its phones with the log when it becomes the
        // writer.
        if try !keyStore.hasFollowed { try keyStore.noteFollowed(position, in: log) }
        state = Mutex(State(status: Status(position: position, erasedThrough: position, sessionsEndedThrough: sessionsAfter)))
    }

    package var status: Status {
        let head = log.head
        return state.withLock { state in
            var status = state.status
            status.lag = head.rawValue - min(head.rawValue, status.position.rawValue)
            status.failure = status.failure.map { failure in
                (failure.reason, state.failingSince.map { (.now - $0) / .seconds(1) } ?? 0)
            }
            return status
        }
    }

    /// Starts the threads. Call at most once.
    package func start() {
        AwaitedThread.start("followed sessions", in: ended) { [self] in followSessions() }
        AwaitedThread.start("followed events", in: ended) { [self] in run() }
    }

    /// Blocks until the threads have ended, one of which may wait for an answer of the other node. Call this before the log closes, and
    /// when it no longer grows: then all ended sessions are reported.
    @available(*, noasync)
    package func stop() {
        isStopped.store(true, ordering: .releasing)
        wake.signal()
        ended.wait()
    }

    private var isStopping: Bool { isStopped.load(ordering: .acquiring) }

    @available(*, noasync)
    private func followSessions() {
        var position = sessionsAfter
        acts.sessionsFollowed(position)
        while !isStopping || position < log.head {
            let head = log.headSignal.wait(beyond: position, timeoutSeconds: Limits.followedWaitSeconds)
            do {
                try log.scan(after: position, through: head) { place, record in
                    guard record.type == .sessionEnded else { return true }
                    if case .sessionEnded(let event) = try LoyaltyCodec.decode(record, at: place).event { acts.sessionEnded(event.session) }
                    return true
                }
                position = head
                acts.sessionsFollowed(head)
                state.withLock { $0.status.sessionsEndedThrough = head }
            } catch {
                note(error)
                if isStopping { return }
                Thread.sleep(forTimeInterval: Limits.followedRetrySeconds)
            }
        }
    }

    @available(*, noasync)
    private func run() {
        var noted = state.withLock { $0.status.position }
        var askAgainAt = ContinuousClock.now
        while !isStopping {
            var failure: (any Error)?
            do { try erase() } catch { failure = error }
            do { try follow(notedAt: &noted) } catch { failure = failure ?? error }
            do {
                if askAgainAt <= .now {
                    try askAgain()
                    askAgainAt = .now + .seconds(Limits.awaitedRetrySeconds)
                }
            } catch { failure = failure ?? error }
            if let failure {
                note(failure)
                _ = wake.wait(seconds: Limits.followedRetrySeconds)
            } else {
                recover()
                let (position, erased) = state.withLock { ($0.status.position, $0.status.erasedThrough) }
                if position == erased { _ = log.headSignal.wait(beyond: position, timeoutSeconds: Limits.followedWaitSeconds) }
            }
        }
        let position = state.withLock { $0.status.position }
        // Only saves the next start some work.
        if position > noted { try? keyStore.noteFollowed(position, in: log) }
    }

    private func note(_ error: any Error) {
        state.withLock { state in
            state.failingSince = state.failingSince ?? .now
            state.status.failure = ("\(error)", 0)
        }
    }

    private func recover() { state.withLock { ($0.failingSince, $0.status.failure) = (nil, nil) } }
}

extension FollowedEvents {
    /// Destroys what all new events erase. These steps need no answer of the other node.
    @available(*, noasync)
    private func erase() throws {
        while !isStopping {
            let start = state.withLock { $0.status.erasedThrough }
            guard start < log.head else { return }
            let piece = try FollowedErasures(log, after: start)
            let past = LogPast(log)
            let shops = try piece.closed.map(\.keyHolder) + piece.erased.flatMap { try past.shops(ownedBy: $0).map(\.id.keyHolder) }
            let left = try piece.left.filter(hasLeft)
            // Pictures are released first, because they cannot be found without the keys. A failure here does not delay the keys' end:
            // the sweep removes released pictures later.
            var pictures = piece.takenDown
            for account in piece.erased { attempt { pictures.formUnion(try acts.releasePictures(account)) } }
            try keyStore.destroyKeys(of: shops + piece.erased + left)
            if !pictures.isEmpty { attempt { try acts.removePictures(pictures) } }
            state.withLock { $0.status.erasedThrough = piece.end }
        }
    }

    /// Does what need not succeed now.
    private func attempt(_ act: () throws -> Void) { do { try act() } catch { note(error) } }

    /// Whether nothing waits for somebody unregistered any more, so that the writer destroys the key. If it did not come to that, the next
    /// event that needs the key lets this node ask for it again.
    private func hasLeft(_ holder: AccountID) throws -> Bool {
        guard try LogPast(log).account(holder) == nil else { return false }
        return try !hasCard(holder) && !hasOffer(holder)
    }

    private func hasCard(_ holder: AccountID) throws -> Bool {
        let past = LogPast(log)
        return try past.facts([.cardOpened], Tag(kind: .account, value: holder.value)).contains { fact in
            guard let card = try fact.event.card.flatMap({ try past.card($0) }) else { return false }
            return card.holder == holder && card.isHeld
        }
    }

    /// Whether an offer of work was open at the time of the newest event.
    private func hasOffer(_ holder: AccountID) throws -> Bool {
        guard let newest = try log.event(at: log.head) else { return false }
        let now = Instant(microseconds: newest.event.time.microseconds)
        let offers = try LogPast(log).invitations(of: holder, before: nil, limit: Limits.waitingOffersMax).invitations
        return offers.contains { $0.account == holder && $0.answer == nil && $0.role < .owner && now < $0.expiresAt }
    }

    /// Brings the data keys that events need before the log has them: a model that reads an event finds its key, and a node that takes
    /// the writer's place can read every account of its log.
    ///
    /// - Throws: `EventLogError` `.unreachable` for whatever can be tried again.
    package func prepare(_ entries: [Entry]) throws(EventLogError) {
        guard let last = entries.last?.last else { return }
        do {
            let past = LogPast(log)
            let lacking = try keyStore.lacking(FollowedNeeds.holders(in: entries)).filter { try !past.isErased(holder: $0) }
            // The other node's numbers may be those of later events.
            try ask(for: lacking.sorted(), asOf: last, keysOnly: true)
        } catch { throw error as? EventLogError ?? EventLogError(.unreachable, "the keys of the next events: \(error)") }
    }

    /// Brings what one piece of the log needs from the other node.
    @available(*, noasync)
    private func follow(notedAt noted: inout Position) throws {
        let (start, erased) = state.withLock { ($0.status.position, $0.status.erasedThrough) }
        guard start < erased else { return }
        let piece = try FollowedNeeds(log, after: start, through: erased)
        let past = LogPast(log)
        // An offer may name an account that never was, for which a node that is alone must not wait.
        let lacking = try keyStore.lacking(piece.holders).filter { try !isUnregistered($0) || hasCard($0) }
        // No event has the number of somebody unregistered, and ``prepare(_:)`` has brought the key alone.
        let numberless = try keyStore.lackingNumbers(piece.holders).filter { try isUnregistered($0) && !hasLeft($0) }
        let needed = try Set(lacking + numberless).filter { try !past.isErased(holder: $0) }
        let asked = try needed.union(piece.moved.filter { try !past.isErased(holder: $0) })
        var displaced: [AccountID] = []
        do { displaced = try ask(for: asked.sorted(), asOf: piece.end) } catch {
            // With its key, an account's numbers follow from the log, so a node that is alone goes on.
            guard needed.isEmpty, !(error is KeyRowsError) else { throw error }
        }
        // The other node's numbers may be those of later events, or from the middle of a change. The log decides.
        let moved = piece.moved.union(displaced)
        if !moved.isEmpty { try keyStore.finishPhoneChanges(of: Array(moved), in: log) }
        let vanishing = try displaced.filter(isUnregistered)
        if !vanishing.isEmpty { try askAgain(for: vanishing, asOf: piece.end) }
        for account in piece.moved {
            if let coming = try past.account(account)?.comingPhone { acts.phoneRequested(account, coming.holdsAt) }
        }
        try fetch(piece.pictures.union(piece.avatars.compactMap(avatar)))
        // A crash before the note repeats the piece.
        if !asked.isEmpty || piece.end.rawValue >= noted.rawValue + Limits.followedEventsMax {
            try keyStore.noteFollowed(piece.end, in: log)
            noted = piece.end
        }
        state.withLock { $0.status.position = piece.end }
    }

    @available(*, noasync)
    @discardableResult
    private func ask(for holders: [AccountID], asOf position: Position, keysOnly: Bool = false) throws -> [AccountID] {
        var displaced: [AccountID] = []
        for start in stride(from: 0, to: holders.count, by: Limits.askedHoldersMax) {
            let page = Array(holders[start..<min(start + Limits.askedHoldersMax, holders.count)])
            let adoption = try adopt(page, asOf: position, keysOnly: keysOnly)
            displaced += adoption.displaced
            if !adoption.absent.isEmpty { try countAwaited() }
            if !keysOnly { try erase() }
        }
        return displaced
    }

    /// Asks again for what was absent, as long as any node has a part of it.
    private func adopt(_ holders: [AccountID], asOf position: Position, keysOnly: Bool = false) throws -> KeyStore.Adoption {
        var adoption = try adoptOnce(holders, asOf: position, keysOnly)
        var (asked, displaced) = (holders, adoption.displaced)
        while peer.isOfSeveral, !adoption.absent.isEmpty, adoption.absent.count < asked.count {
            asked = adoption.absent
            adoption = try adoptOnce(asked, asOf: position, keysOnly)
            displaced += adoption.displaced
        }
        adoption.displaced = displaced
        return adoption
    }

    private func adoptOnce(_ holders: [AccountID], asOf position: Position, _ keysOnly: Bool) throws -> KeyStore.Adoption {
        let past = LogPast(log)
        return try keyStore.adopt(peer.rows(of: holders), of: holders, asOf: position, keysOnly: keysOnly) { try past.isErased(holder: $0) }
    }

    /// Asks for keys that the other node did not have, and for the rows of those who have lost a number to somebody else.
    @available(*, noasync)
    private func askAgain() throws {
        let position = state.withLock { $0.status.position }
        var last: AccountID?
        while !isStopping {
            let page = try keyStore.awaitedHolders(after: last, limit: Limits.askedHoldersMax)
            guard !page.isEmpty else { break }
            try askAgain(for: page, asOf: position)
            last = page.last
        }
        try countAwaited()
    }

    private func askAgain(for holders: [AccountID], asOf position: Position) throws {
        for start in stride(from: 0, to: holders.count, by: Limits.askedHoldersMax) {
            let page = Array(holders[start..<min(start + Limits.askedHoldersMax, holders.count)])
            let adoption = try adopt(page, asOf: position)
            let vanished = try adoption.isOfWriter ? adoption.absent.filter(isUnregistered) : []
            let lacking = try keyStore.lacking(vanished)
            try keyStore.destroyKeys(of: vanished.filter { !lacking.contains($0) })
            try keyStore.stopAwaiting(lacking)
        }
    }

    private func countAwaited() throws {
        let count = try keyStore.awaitedHolders().count
        state.withLock { $0.status.awaited = count }
    }

    /// Only cards and offers of work wait for an unregistered person. No event tells that the writer has destroyed the key, after ninety
    /// days or when another account got the number.
    private func isUnregistered(_ holder: AccountID) throws -> Bool {
        try LogPast(log).account(holder) == nil && LogPast(log).shop(ShopID(holder.value)) == nil
    }

    private func avatar(of account: AccountID, _ sealed: Sealed) throws -> ImageID? {
        guard let key = try keyStore.key(of: account) else { return nil }
        return Sealing.open(sealed, field: .avatar, of: account, under: key).flatMap { ImageID(text: $0) }
    }

    private func fetch(_ pictures: Set<ImageID>) throws {
        for picture in pictures.sorted() where try acts.lacksPicture(picture) {
            try erase()
            // A picture that the other node lacks was removed since, or is lost there, too.
            if let file = try peer.picture(picture) { try acts.keepPicture(picture, file) }
        }
    }
}
