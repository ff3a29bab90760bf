import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import Seeds
import Synchronization
import Testing

@testable import CommandService
@testable import Composition

/// A node that follows a site in the same process: a log with the site's events, keys of its own, and ``FollowedEvents``.
///
/// A folder may be opened on plain threads only, so the functions of this class are synchronous, except the waits.
final class Follower {
    let folder: TemporaryFolder
    let peer: FaultyPeer
    let seen = SeenActs()
    private let source: GreenTea
    private var opened: (log: EventLog, keyStore: KeyStore, events: FollowedEvents)?

    init(of site: Site, isStarted: Bool = true) throws {
        (folder, source) = (try TemporaryFolder(), site.service)
        peer = FaultyPeer(site.service)
        try open(isStarted: isStarted)
    }

    deinit { try? close() }

    var log: EventLog { parts.log }
    var keyStore: KeyStore { parts.keyStore }
    var status: FollowedEvents.Status { parts.events.status }

    private var parts: (log: EventLog, keyStore: KeyStore, events: FollowedEvents) {
        guard let opened else { preconditionFailure("the follower is closed") }
        return opened
    }

    /// Opens the folder.
    ///
    /// - Parameter isStarted: whether events are followed at once, or after ``start()``.
    func open(isStarted: Bool = true) throws {
        let log = try EventLog(
            directory: folder.path + "/log", index: folder.path + "/index", schema: LoyaltySchema.schema, access: .readWrite,
            created: Timestamp(microseconds: 0))
        let keyStore = try KeyStore(
            directory: folder.path + "/keys", master: MasterSecret(bytes: Site.secret), randomness: SeededRandomness(seed: Seed.value + 1))
        let acts = FollowedEvents.Acts(
            sessionEnded: { [seen] in seen.note(ended: $0) }, phoneRequested: { [seen] in seen.note(requested: $0, at: $1) })
        let events = try FollowedEvents(log: log, keyStore: keyStore, peer: peer, acts: acts)
        opened = (log, keyStore, events)
        if isStarted { start() }
    }

    func start() { parts.events.start() }

    func close() throws {
        guard let (log, _, events) = opened else { return }
        events.stop()
        opened = nil
        try log.close()
    }

    /// Copies the site's new events into the log.
    func adopt() throws {
        let appender = try log.appender()
        while log.head < source.log.head {
            for _ in 0..<500 where appender.head < source.log.head {
                if let event = try source.log.event(at: appender.head.next) { try appender.stage(event.event) }
            }
            try appender.commit()
        }
    }

    /// Copies the site's new events, and waits until all of them are followed.
    func catchUp() async throws {
        try adopt()
        try await eventually("all events are followed") { status.position == log.head && status.erasedThrough == log.head }
        try await eventually("nothing fails") { status.failure == nil }
    }

    func wrappedKey(of account: AccountID) throws -> [UInt8]? { try keyStore.wrappedKey(of: account) }

    func hasBytes(of wrapped: [UInt8]) throws -> Bool { try folder.hasBytes(of: wrapped) }
}

extension KeyStore {
    /// The key as it is in the file.
    func wrappedKey(of account: AccountID) throws -> [UInt8]? {
        try state.withLock { state in
            let file = try opened(&state)
            return try file.value(file.dataKeys, Self.name(of: account))
        }
    }
}

/// The acts that a follower's events have asked for.
final class SeenActs: Sendable {
    private let state = Mutex((ended: Set<SessionID>(), requested: [AccountID: Instant]()))

    var ended: Set<SessionID> { state.withLock { $0.ended } }
    var requested: [AccountID: Instant] { state.withLock { $0.requested } }

    func note(ended session: SessionID) { _ = state.withLock { $0.ended.insert(session) } }
    func note(requested account: AccountID, at time: Instant) { state.withLock { $0.requested[account] = time } }
}

/// A service as another node sees it, with faults.
final class FaultyPeer: NodePeer {
    typealias Answer = @Sendable (_ holders: [AccountID], GreenTea) throws -> [UInt8]

    private let service: GreenTea
    private let state = Mutex((answer: Answer?.none, picture: [UInt8]?.none, questions: [Int]()))

    init(_ service: GreenTea) { self.service = service }

    /// The number of accounts and shops in each question so far.
    var questions: [Int] { state.withLock { $0.questions } }

    /// Answers with something else from now on; nil for the right answers.
    func answer(_ answer: Answer?) { state.withLock { $0.answer = answer } }

    /// Answers every question for a picture with these bytes; nil for the right answers.
    func answer(picture: [UInt8]?) { state.withLock { $0.picture = picture } }

    func goDown() { answer { _, _ in throw TestFailure("no answer") } }

    func rows(of holders: [AccountID]) throws -> [UInt8] {
        let answer = state.withLock { state in
            state.questions.append(holders.count)
            return state.answer
        }
        return try answer?(holders, service) ?? service.keyRows(of: holders)
    }

    func picture(_ image: ImageID) throws -> [UInt8]? {
        try state.withLock { $0.picture } ?? service.pictureForNode(image)
    }
}
