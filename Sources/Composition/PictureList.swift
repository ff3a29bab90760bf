import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// The pictures that were taken down, and those that shops and campaigns ever named. They are read from the log once and kept in memory,
/// about 64 bytes each.
///
/// Every request for a picture needs the picture's entry, and memory is faster than the tag index. The log is read in pieces, so that no
/// lock is held for longer than one piece takes.
package final class PictureList: Sendable {
    /// The state of one picture that follows from the log.
    package struct Entry: Equatable, Sendable {
        /// The position of the last take-down; 0 if there is none.
        var takenDown: UInt64 = 0
        /// Whether an operator has taken the picture down, for all accounts.
        var isForAll = false
        /// Whether a shop or a campaign has ever named the picture. If so, it is not a private picture of a person.
        var isNamedByShop = false

        /// Adds a later event that names the picture.
        mutating func add(_ fact: Fact) {
            guard case .imageTakenDown(let taking) = fact.event else { return isNamedByShop = true }
            takenDown = fact.position
            isForAll = isForAll || taking.byOperator
        }
    }

    private struct State {
        /// The entries reflect the log up to this position.
        var through = Position.start
        var entries: [ImageID: Entry] = [:]
        var shown = ShownPictures()
        /// The number of answers that came from the tag index.
        var lookUps = 0
        /// Whether a thread is reading the newer part of the log.
        var isCatchingUp = false
    }

    private static let types: Set<EventType> = PictureUse.naming.union([.imageTakenDown])

    private let state = Mutex(State())
    /// The lock that is held while one piece of the log is read.
    private let piece = Mutex<Void>(())
    private let wanted = TypeFilter(ShownPictures.types)
    private let missing = Atomic<Int>(0)
    private let pieceEventsMax: UInt64

    /// The number of shown pictures whose files were missing or damaged at the last count.
    package var missingCount: Int { missing.load(ordering: .relaxed) }

    func note(missing count: Int) { missing.store(count, ordering: .relaxed) }

    /// Creates an empty list.
    ///
    /// - Parameter pieceEventsMax: the maximum number of events of one piece. ``recentEntries(of:in:)`` answers only if the list is behind
    ///   the log by at most this number.
    init(pieceEventsMax: UInt64 = Limits.pictureEventsReadMax) { self.pieceEventsMax = pieceEventsMax }

    /// The number of answers that came from the tag index since the start.
    package var lookUps: Int { state.withLock { $0.lookUps } }

    /// The entries of some pictures; an empty one for a picture that no event names. Blocks while it reads the events since the last call.
    ///
    /// - Throws: what reading the log throws.
    func entries(of images: [ImageID], in log: EventLog) throws -> [Entry] {
        try catchUp(with: log)
        return state.withLock { state in images.map { state.entries[$0] ?? Entry() } }
    }

    /// The pictures that shops and campaigns show. Blocks while it reads the events since the last call.
    ///
    /// - Throws: what reading the log throws; `CancellationError`.
    func shown(in log: EventLog, unless isStopping: () -> Bool) throws -> Set<ImageID> {
        try catchUp(with: log, unless: isStopping)
        return state.withLock { $0.shown.images }
    }

    /// Like ``entries(of:in:)``, for tasks that must not block for long.
    ///
    /// - Returns: nil if more than one piece of the log would have to be read.
    func recentEntries(of images: [ImageID], in log: EventLog) throws -> [Entry]? {
        let (head, through) = (log.head.rawValue, state.withLock { $0.through.rawValue })
        guard head <= through + pieceEventsMax else { return nil }
        return try entries(of: images, in: log)
    }

    /// Like ``entries(of:in:)`` for one picture, but read with the tag index.
    func lookedUp(_ image: ImageID, in log: EventLog) throws -> Entry {
        state.withLock { $0.lookUps += 1 }
        var entry = Entry()
        let query = Query.items([QueryItem(types: Array(Self.types), tags: [Tag(kind: .image, value: image.value)])])
        for event in try log.events(matching: query) { entry.add(try LoyaltyCodec.decode(event)) }
        return entry
    }

    /// Whether the caller may now read the newer part of the log; then it MUST call ``endCatchingUp()`` afterwards. False while another
    /// thread reads that part.
    func beginCatchingUp() -> Bool {
        state.withLock { state in
            defer { state.isCatchingUp = true }
            return !state.isCatchingUp
        }
    }

    func endCatchingUp() { state.withLock { $0.isCatchingUp = false } }

    /// Reads the log up to its present head. Blocks.
    func catchUp(with log: EventLog, unless isStopping: () -> Bool = { false }) throws {
        let head = log.head
        while try piece.withLock({ _ in try readPiece(of: log, to: head) }) { if isStopping() { throw CancellationError() } }
    }

    /// Reads the next piece of the log. Returns whether more of the log up to `head` remains to be read.
    private func readPiece(of log: EventLog, to head: Position) throws -> Bool {
        let start = state.withLock { $0.through }
        guard start < head else { return false }
        let end = Position(min(head.rawValue, start.rawValue + pieceEventsMax))
        var found: [Fact] = []
        try log.scan(after: start, through: end) { position, record in
            guard wanted.contains(record.type) else { return true }
            found.append(try LoyaltyCodec.decode(record, at: position))
            return true
        }
        // The events are applied only after the whole piece was read, so that a failed read can be repeated.
        state.withLock { state in
            for fact in found {
                for image in fact.event.namedImages { state.entries[image, default: Entry()].add(fact) }
                state.shown.apply(fact)
            }
            state.through = end
        }
        return end < head
    }
}

extension LoyaltyEvent {
    /// The pictures that the event's tags name: those that a shop or a campaign shows from now on, or one that was taken down.
    var namedImages: [ImageID] {
        switch self {
        case .shopOpened(let event): event.images
        case .shopEdited(let event): event.images
        case .campaignPublished(let event): [event.terms.image].compactMap { $0 }
        case .campaignEdited(let event): [event.terms.image].compactMap { $0 }
        case .imageTakenDown(let event): [event.image]
        default: []
        }
    }
}
