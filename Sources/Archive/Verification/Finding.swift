public import EventLog
internal import Synchronization

/// A fault that a check of a data folder found, with its kind, its place and its remedy.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The raw values are part of the JSON form.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A page does not have the storage engine's format.
        case page
        case gap
        /// The bytes are not a record, or do not decode.
        case record
        /// A time before 1970. A time in the future is only noted.
        case time
        case tree
        /// The checkpoint is missing or invalid, or does not match the log.
        case checkpoint
        /// An idempotency key was reused, or a request's events do not belong together.
        case request
        /// The events together break a rule of the service.
        case rule
        /// The tag index does not match the log.
        case index
    }

    public let kind: Kind
    /// Nil if the finding is about no event.
    public let position: Position?
    /// The number of the page in the log's file.
    public let page: UInt64?
    /// Relative to the data folder.
    public let file: String?
    public let what: String
    /// One or two sentences.
    public let remedy: String

    public init(_ kind: Kind, position: Position? = nil, page: UInt64? = nil, file: String? = nil, _ what: String, remedy: String? = nil) {
        (self.kind, self.position, self.page, self.file) = (kind, position, page, file)
        self.what = what.hasSuffix("..") ? String(what.dropLast()) : what
        self.remedy = remedy ?? kind.remedy
    }

    /// The finding as a consequence of other findings, to whose remedies it points.
    var following: Finding {
        Finding(
            kind, position: position, page: page, file: file, what,
            remedy: "It follows from the damage to pages and records: mend that first, then verify again.")
    }

    /// Beside damage, a broken rule, a reused key or a wrong index counts as its consequence.
    var besideDamage: Finding { [.rule, .request, .index].contains(kind) ? following : self }

    /// Such as `rule at position 12: …`, without the remedy, which many findings share.
    public var description: String {
        let places = [position.map { "position \($0)" }, page.map { "page \($0)" }, file].compactMap { $0 }
        return places.isEmpty ? "\(kind.rawValue): \(what)" : "\(kind.rawValue) at \(places.joined(separator: ", ")): \(what)"
    }
}

extension Finding.Kind {
    public var remedy: String {
        switch self {
        case .page, .gap, .record, .tree:
            "Stop the server, keep a copy of the folder, have the disk and the memory checked, and restore the log from a backup, as "
                + "the runbook says under The log is damaged."
        case .time: "Check the clock of the machine that wrote it; events keep the times that they were given."
        case .checkpoint: "This is another log, or one that was changed after it was signed: compare it with a backup and with its readers."
        case .request, .rule: "The log is not one that this program's rules could have written: compare it with a backup."
        case .index: "Stop the server, delete the folder derived, and start it again: the index is made anew from the log."
        }
    }
}

/// A list for findings of any thread. It keeps the first 100 and counts the rest, because one damaged page can cause thousands.
public final class FindingList: Sendable {
    /// Enough to show the cause.
    public static let keptMax = 100

    private struct State {
        var kept: [Finding] = []
        var count = 0
    }

    private let state = Mutex(State())

    public init() {}

    public func add(_ finding: Finding) {
        state.withLock { state in
            state.count += 1
            if state.kept.count < Self.keptMax { state.kept.append(finding) }
        }
    }

    /// First those without a position, by page; then the others, by position.
    public var kept: [Finding] {
        state.withLock(\.kept).sorted { ($0.position?.rawValue ?? 0, $0.page ?? 0) < ($1.position?.rawValue ?? 0, $1.page ?? 0) }
    }

    /// Whether a kept finding says that stored bytes have changed or are missing.
    var hasDamage: Bool {
        let damage: Set<Finding.Kind> = [.page, .gap, .record, .tree]
        return state.withLock { $0.kept.contains { damage.contains($0.kind) } }
    }

    public var count: Int { state.withLock(\.count) }
}
