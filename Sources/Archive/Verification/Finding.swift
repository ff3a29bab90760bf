public import EventLog
internal import Synchronization

/// Something that a look at a data folder found to be wrong: what, where, and what to do about it.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of finding. The raw values are part of the JSON form.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A page of the log's file is not as the storage engine writes them.
        case page
        /// A position has no event.
        case gap
        /// Bytes that are no record, or a record that says nothing that this program knows.
        case record
        /// An event's time cannot be.
        case time
        /// The tree does not fit the records.
        case tree
        /// The log does not begin as a signed checkpoint says.
        case checkpoint
        /// A request's key was used again for something else.
        case request
        /// The events together break a rule of the service.
        case rule
        /// The index does not find what the log holds.
        case index
    }

    public let kind: Kind
    /// The event that it is about, where it is about one.
    public let position: Position?
    /// The page of the log's file, where one is to blame.
    public let page: UInt64?
    /// The file, relative to the data folder.
    public let file: String?
    /// The finding in English.
    public let what: String
    /// The remedy, in one or two sentences.
    public let remedy: String

    /// A finding; the remedy is that of its kind unless another one is given.
    public init(
        _ kind: Kind, position: Position? = nil, page: UInt64? = nil, file: String? = nil, _ what: String, remedy: String? = nil
    ) {
        (self.kind, self.position, self.page, self.file) = (kind, position, page, file)
        self.what = what.hasSuffix("..") ? String(what.dropLast()) : what
        self.remedy = remedy ?? kind.remedy
    }

    /// `rule at position 12: …`, without the remedy, which many share.
    public var description: String {
        let places = [position.map { "position \($0)" }, page.map { "page \($0)" }, file].compactMap { $0 }
        return places.isEmpty ? "\(kind.rawValue): \(what)" : "\(kind.rawValue) at \(places.joined(separator: ", ")): \(what)"
    }
}

extension Finding.Kind {
    /// The remedy for findings of this kind.
    public var remedy: String {
        switch self {
        case .page, .gap, .record, .tree:
            "Stop the server, keep a copy of the folder, have the disk and the memory checked, and restore the log from a backup."
        case .time: "Check the clock of the machine that wrote it; events keep the times that they were given."
        case .checkpoint: "This is another log, or one that was changed after it was signed: compare it with a backup and with its readers."
        case .request, .rule: "The log is not one that this program's rules could have written: compare it with a backup."
        case .index: "Stop the server, delete the folder derived, and start it again: the index is made anew from the log."
        }
    }
}

/// Findings as they come in, from any thread: the first ones are kept, the others only counted, for one damaged page can be the
/// cause of thousands.
public final class FindingList: Sendable {
    /// Findings kept, enough to see what has happened.
    public static let keptMax = 100

    private struct State {
        var kept: [Finding] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// A list without findings.
    public init() {}

    /// Adds one.
    public func add(_ finding: Finding) {
        state.withLock { state in
            state.count += 1
            if state.kept.count < Self.keptMax { state.kept.append(finding) }
        }
    }

    /// Those that were kept, in the order of pages and positions as far as they have any.
    public var kept: [Finding] {
        state.withLock(\.kept).sorted { ($0.position?.rawValue ?? 0, $0.page ?? 0) < ($1.position?.rawValue ?? 0, $1.page ?? 0) }
    }

    /// How many there were in all.
    public var count: Int { state.withLock(\.count) }
}
