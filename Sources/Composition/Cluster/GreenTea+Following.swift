import CommandService
import CoreMetrics
package import EventLog
import Images
package import Loyalty
import LoyaltyCodec
import Synchronization

/// Both sides of what nodes send each other beside the log.
extension GreenTea {
    /// The data keys and phones of at most ``Limits/askedHoldersMax`` accounts and shops, for another node. Blocks.
    ///
    /// - Throws: the key store's errors.
    package func keyRows(of holders: [AccountID]) throws -> [UInt8] {
        // Read first, so that the rows include what events through this position need.
        let head = log.head
        return try keyStore.wrappedRows(of: holders, asOf: head, isWriter: seat != nil)
    }

    /// A picture's file, sealed for another node; nil if there is no whole one. Blocks.
    package func pictureForNode(_ image: ImageID) throws -> [UInt8]? {
        guard let file = images.file(of: image) else { return nil }
        let plain = [file.hasSender ? 1 : 0] + file.bytes
        return try keys.sealed(plain, for: Self.purpose(of: image), nonce: randomness.bytes(Sealing.nonceLength))
    }

    private static func purpose(of image: ImageID) -> String { "greentea/v1/picture/\(image.text)" }

    /// Copies the log of another node.
    @available(*, noasync)
    func follow(_ leader: any LeadingNode) throws {
        let following = try Following(
            leader, log: log, keys: keyStore, checkpoints.verifierKey,
            acts: followedActs,
            onFailure: { [failStop] in failStop.trip(WriterEnd($0)) })
        place.follow(following)
        following.start()
    }

    /// Takes a place in a cluster, first as a follower.
    ///
    /// - Parameter clock: the machine's.
    @available(*, noasync)
    func join(
        _ parts: ClusterParts, _ clock: any Clock, _ duePeriodSeconds: Double?, acceptsLostKeys: Bool, _ metrics: any MetricsFactory,
        _ makeWriter: @escaping @Sendable (WriterSeat.Term?) throws -> WriterSeat
    ) throws {
        let service = service
        let peers = Peers(
            parts, rows: { try service().keyRows(of: $0) }, picture: { try service().pictureForNode($0) },
            lacking: { try service().lacking(in: $0) })
        let events = followedActs
        let acts = Seat.Acts(
            follow: { [log, keyStore] onFailure in
                try Following(log, keyStore, from: parts.log, fallback: peers, peer: peers, acts: events, onFailure: onFailure)
            },
            write: { [log, keyStore, forward, duePhones] step in
                forward.raise(to: try Self.latestTime(in: log, now: clock.now()))
                for (account, time) in try keyStore.finishInterrupted(in: log) { duePhones.note(account, at: time) }
                try keyStore.finishFollowing(in: log)
                let measured = MeasuredDurability(step, by: metrics)
                let term = WriterSeat.Term(durability: measured, outcomeSecondsMax: parts.outcomeSecondsMax) {
                    try? service().finishLate($0)
                }
                return try makeWriter(term)
            },
            carry: { try? service().setCourier($0) }, note: { try? service().note(term: $0) },
            isDamaged: { [found] in found.refusesEvents },
            lacksKeys: { [log, keyStore] in try !acceptsLostKeys && keyStore.lackingKeys(of: log).count > 0 },
            acceptsLostKeys: acceptsLostKeys)
        let seat = try Seat(
            parts, peers, log: log, keyStore: keyStore, place: place, clock: clock, randomness: randomness,
            duePeriodSeconds: duePeriodSeconds, failStop, acts)
        joined.withLock { $0 = seat }
        seat.start()
    }

    /// This service, without a reference to it.
    private var service: @Sendable () throws -> GreenTea {
        { [weak self] in
            guard let self else { throw ServiceError.stopping }
            return self
        }
    }

    /// The acts of ``FollowedEvents`` in this service. They keep no reference to it.
    package var followedActs: FollowedEvents.Acts {
        let service = service
        return FollowedEvents.Acts(
            sessionEnded: { [sessionEndings] in sessionEndings.report($0) },
            sessionsFollowed: { [sessionEndings] in sessionEndings.through.publish($0) },
            phoneRequested: { [duePhones] in duePhones.note($0, at: $1) },
            releasePictures: { try service().releasePictures(of: $0) }, removePictures: { try service().removeUnshown($0) },
            lacksPicture: { try service().lacks($0) }, keepPicture: { try service().keep($0, $1) })
    }

    /// Released also if the writer had no need to: an unreleased picture that was taken down counts as sent again.
    private func removeUnshown(_ released: Set<ImageID>) throws {
        for image in released { images.release(image) }
        var use = PictureUse(self)
        try images.removeReleased(released) { try use.use(of: $0) }
    }

    func lacks(_ image: ImageID) throws -> Bool {
        try !images.has(image) && !pictures.entries(of: [image], in: log)[0].isForAll
    }

    func keep(_ image: ImageID, _ message: [UInt8]) throws {
        guard let plain = keys.opened(message, for: Self.purpose(of: image)), let first = plain.first,
            try images.adopt(Array(plain.dropFirst()), as: image, hasSender: first == 1, at: clock.now())
        else { throw KeyRowsError.pictureNotAuthentic(image) }
    }
}

extension KeyStore {
    /// Makes the phones of a former follower agree with its log, before it writes: it may have ended between taking over the other node's
    /// numbers and comparing them with the log.
    @available(*, noasync)
    func finishFollowing(in log: EventLog) throws {
        guard try hasFollowed else { return }
        var (position, moved) = (try followed(in: log), Set(try awaitedHolders()))
        while position < log.head {
            let piece = try FollowedNeeds(log, after: position, through: log.head)
            moved.formUnion(piece.moved)
            position = piece.end
        }
        try finishPhoneChanges(of: Array(moved), in: log)
        try stopAwaiting(awaitedHolders())
        // A crash before this repeats it.
        try endFollowing()
    }
}

/// The parts of the service that must know of each session that another node ended. Any thread may call.
package final class SessionEndings: Sendable {
    private let observers = Mutex<[@Sendable (SessionID) -> Void]>([])
    /// All sessions that other nodes ended through this position are reported.
    package let through = HeadSignal()

    package init() {}

    /// The closure is called for every later end, and MUST NOT block.
    package func add(_ observer: @escaping @Sendable (SessionID) -> Void) { observers.withLock { $0.append(observer) } }

    package func report(_ session: SessionID) {
        for observer in observers.withLock({ $0 }) { observer(session) }
    }
}
