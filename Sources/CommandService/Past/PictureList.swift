import EventLog
import Loyalty
import LoyaltyCodec
import ReadModels
import Synchronization

/// The pictures that were taken down, and those that shops and campaigns ever named, found by reading the log once and kept in memory:
/// about 64 bytes each.
///
/// Every look at a picture asks, so none asks the index. The log is read in pieces, and no lock is held over more than one of them.
package final class PictureList: Sendable {
    /// What the log says of one picture.
    package struct Entry: Sendable {
        /// The position where it was last taken down; 0 where it never was.
        var takenDown: UInt64 = 0
        /// Whether an operator has taken it down.
        var isForAll = false
        /// Whether a shop or a campaign ever named it, so that it is no secret of a person.
        var isNamedByShop = false

        mutating func add(_ event: LoyaltyEvent, at position: Position) {
            guard case .imageTakenDown(let taking) = event else { return isNamedByShop = true }
            takenDown = max(takenDown, position.rawValue)
            isForAll = isForAll || taking.byOperator
        }
    }

    private struct State {
        /// Everything up to here was looked through.
        var through = Position.start
        var entries: [ImageID: Entry] = [:]
        /// Answers that the index was asked for.
        var lookUps = 0
    }

    private static let types: Set<EventType> = PictureUse.naming.union([.imageTakenDown])

    private let state = Mutex(State())
    /// Held while one piece of the log is read.
    private let piece = Mutex<Void>(())
    private let wanted = TypeFilter(PictureList.types)

    init() {}

    /// How many answers came from the index since the start.
    package var lookUps: Int { state.withLock { $0.lookUps } }

    /// What the log says of pictures. Blocks while it reads what came since the last time.
    ///
    /// - Throws: what reading the log throws.
    func entries(of images: [ImageID], in log: EventLog) throws -> [Entry] {
        try catchUp(with: log)
        return state.withLock { state in images.map { state.entries[$0] ?? Entry() } }
    }

    /// As ``entries(of:in:)``, for tasks that must not block for long.
    ///
    /// - Returns: nil where more of the log would have to be read than ``Limits/pictureEventsReadMax``.
    func recentEntries(of images: [ImageID], in log: EventLog) throws -> [Entry]? {
        let (head, through) = (log.head.rawValue, state.withLock { $0.through.rawValue })
        guard head <= through + Limits.pictureEventsReadMax else { return nil }
        return try entries(of: images, in: log)
    }

    /// As ``entries(of:in:)`` for one picture, by the index.
    func lookedUp(_ image: ImageID, in log: EventLog) throws -> Entry {
        state.withLock { $0.lookUps += 1 }
        var entry = Entry()
        let query = Query.items([QueryItem(types: Array(Self.types), tags: [Tag(kind: .image, value: image.value)])])
        for event in try log.events(matching: query) { entry.add(try LoyaltyCodec.decode(event).event, at: event.position) }
        return entry
    }

    /// Reads what came since the last time, as of now.
    func catchUp(with log: EventLog) throws {
        let head = log.head
        while try piece.withLock({ _ in try readPiece(of: log, to: head) }) {}
    }

    /// - Returns: whether there is more to read.
    private func readPiece(of log: EventLog, to head: Position) throws -> Bool {
        let start = state.withLock { $0.through }
        guard start < head else { return false }
        let end = Position(min(head.rawValue, start.rawValue + Limits.pictureEventsReadMax))
        var found: [(ImageID, LoyaltyEvent, Position)] = []
        try log.scan(after: start, through: end) { position, record in
            guard wanted.contains(record.type) else { return true }
            let event = try LoyaltyCodec.decode(record, at: position).event
            for image in event.namedImages { found.append((image, event, position)) }
            return true
        }
        // Only now: a read that failed half way begins again where this one did.
        state.withLock { state in
            for (image, event, position) in found { state.entries[image, default: Entry()].add(event, at: position) }
            state.through = end
        }
        return end < head
    }
}

extension LoyaltyEvent {
    /// The pictures that its tags name: those that a shop or a campaign shows from now on, or one that was taken down.
    var namedImages: [ImageID] {
        switch self {
        case .shopOpened(let event): event.images
        case .shopEdited(let event): event.images
        case .campaignPublished(let event): [event.image].compactMap { $0 }
        case .campaignEdited(let event): [event.image].compactMap { $0 }
        case .imageTakenDown(let event): [event.image]
        default: []
        }
    }
}
