import CommandService
import EventLog
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Synchronization

/// The pictures that were taken down, and those that shops and campaigns ever named; about 64 bytes each.
///
/// Every request for a picture needs its entry. The log is read in pieces, so that no lock is held for long.
package final class PictureList: Sendable {
    /// The state of one picture that follows from the log.
    package struct Entry: Equatable, Sendable {
        /// 0 if none.
        var takenDown: UInt64 = 0
        var isForAll = false
        /// A picture that a shop or a campaign ever named is not private.
        var isNamedByShop = false

        mutating func add(_ fact: Fact) {
            guard case .imageTakenDown(let taking) = fact.event else { return isNamedByShop = true }
            takenDown = fact.position
            isForAll = isForAll || taking.byOperator
        }
    }

    private struct State {
        var through = Position.start
        var entries: [ImageID: Entry] = [:]
        var shown = ShownPictures()
        var lookUps = 0
        var isCatchingUp = false
    }

    private static let types: Set<EventType> = PictureUse.naming.union([.imageTakenDown])

    private let state = Mutex(State())
    private let piece = Mutex<Void>(())
    private let wanted = TypeFilter(ShownPictures.types)
    private let missing = Atomic<Int>(0)
    private let pieceEventsMax: UInt64

    /// Shown pictures whose files were missing or damaged at the last count.
    package var missingCount: Int { missing.load(ordering: .relaxed) }

    func note(missing count: Int) { missing.store(count, ordering: .relaxed) }

    init(pieceEventsMax: UInt64 = Limits.pictureEventsReadMax) { self.pieceEventsMax = pieceEventsMax }

    package var lookUps: Int { state.withLock { $0.lookUps } }

    /// Blocks while it reads new events.
    func entries(of images: [ImageID], in log: EventLog) throws -> [Entry] {
        try catchUp(with: log)
        return state.withLock { state in images.map { state.entries[$0] ?? Entry() } }
    }

    /// Blocks while it reads new events.
    ///
    /// - Throws: also `CancellationError`.
    func shown(in log: EventLog, unless isStopping: () -> Bool) throws -> Set<ImageID> {
        try catchUp(with: log, unless: isStopping)
        return state.withLock { $0.shown.images }
    }

    /// For tasks that must not block; nil if the list is behind by more than one piece.
    func recentEntries(of images: [ImageID], in log: EventLog) throws -> [Entry]? {
        let (head, through) = (log.head.rawValue, state.withLock { $0.through.rawValue })
        guard head <= through + pieceEventsMax else { return nil }
        return try entries(of: images, in: log)
    }

    /// One entry from the tag index.
    func lookedUp(_ image: ImageID, in log: EventLog) throws -> Entry {
        state.withLock { $0.lookUps += 1 }
        var entry = Entry()
        let query = Query.items([QueryItem(types: Array(Self.types), tags: [Tag(kind: .image, value: image.value)])])
        for event in try log.events(matching: query) { entry.add(try LoyaltyCodec.decode(event)) }
        return entry
    }

    /// False while another thread reads; after true, the caller MUST call ``endCatchingUp()``.
    func beginCatchingUp() -> Bool {
        state.withLock { state in
            defer { state.isCatchingUp = true }
            return !state.isCatchingUp
        }
    }

    func endCatchingUp() { state.withLock { $0.isCatchingUp = false } }

    func catchUp(with log: EventLog, unless isStopping: () -> Bool = { false }) throws {
        let head = log.head
        while try piece.withLock({ _ in try readPiece(of: log, to: head) }) { if isStopping() { throw CancellationError() } }
    }

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
        // Applied only after the whole piece was read, so that a failed read can be repeated.
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
    var namedImages: [ImageID] {
        switch self {
        case .shopOpened(let event): event.images
        case .shopEdited(let event): event.pictures
        case .campaignPublished(let event): [event.terms.image].compactMap { $0 }
        case .campaignEdited(let event): [event.terms.image].compactMap { $0 }
        case .imageTakenDown(let event): [event.image]
        default: []
        }
    }
}
