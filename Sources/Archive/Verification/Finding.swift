public import EventLog
internal import Synchronization

/// A fault that a check of a data folder found, with its kind, its place and its remedy.
public struct Finding: Hashable, Sendable, CustomStringConvertible {
    /// The kind of finding. The raw values are part of the JSON form.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A page of the log's file does not have the storage engine's format.
        case page
        /// A position has no event.
        case gap
        /// The bytes at a position are not a record, or the record cannot be decoded.
        case record
        /// An event's time is before 1970, which no clock of a machine shows. A time in the future is only noted.
        case time
        /// The tree does not match the records.
        case tree
        /// The log does not begin with the events that a signed checkpoint covers, or the checkpoint is missing or invalid.
        case checkpoint
        /// An idempotency key was reused for another request, or the events of one request do not belong together.
        case request
        /// The events together break a rule of the service.
        case rule
        /// The tag index does not match the log.
        case index
    }

    public let kind: Kind
    /// The position of the event that the finding is about; nil if it is about no event.
    public let position: Position?
    /// The number of the page in the log's file that the finding is about; nil if it is about no page.
    public let page: UInt64?
    /// The path of the file that the finding is about, relative to the data folder; nil if it is about no file.
    public let file: String?
    /// The finding in English.
    public let what: String
    /// The remedy, in one or two sentences.
    public let remedy: String

    /// Creates a finding. Without a remedy, it gets the remedy of its kind.
    public init(
        _ kind: Kind, position: Position? = nil, page: UInt64? = nil, file: String? = nil, _ what: String, remedy: String? = nil
    ) {
        (self.kind, self.position, self.page, self.file) = (kind, position, page, file)
        self.what = what.hasSuffix("..") ? String(what.dropLast()) : what
        self.remedy = remedy ?? kind.remedy
    }

    /// A copy of the finding for the case that it follows from damage which other findings report. Its remedy points to the remedies of
    /// those findings.
    var following: Finding {
        Finding(
            kind, position: position, page: page, file: file, what,
            remedy: "It follows from the damage to pages and records: mend that first, then verify again.")
    }

    /// The finding as it is reported if pages or records are damaged. In that case, a broken rule, a reused idempotency key or a wrong
    /// index is regarded as a consequence of the damage.
    var besideDamage: Finding { [.rule, .request, .index].contains(kind) ? following : self }

    /// A line such as `rule at position 12: …`, without the remedy, which many findings share.
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
            "Stop the server, keep a copy of the folder, have the disk and the memory checked, and restore the log from a backup, as "
                + "the runbook says under The log is damaged."
        case .time: "Check the clock of the machine that wrote it; events keep the times that they were given."
        case .checkpoint: "This is another log, or one that was changed after it was signed: compare it with a backup and with its readers."
        case .request, .rule: "The log is not one that this program's rules could have written: compare it with a backup."
        case .index: "Stop the server, delete the folder derived, and start it again: the index is made anew from the log."
        }
    }
}

/// A list to which any thread can add findings. The first 100 findings are kept and all others only counted, because one damaged page can
/// cause thousands.
public final class FindingList: Sendable {
    /// The number of findings that are kept, enough to show the cause.
    public static let keptMax = 100

    private struct State {
        var kept: [Finding] = []
        var count = 0
    }

    private let state = Mutex(State())

    /// A list without findings.
    public init() {}

    /// Adds a finding.
    public func add(_ finding: Finding) {
        state.withLock { state in
            state.count += 1
            if state.kept.count < Self.keptMax { state.kept.append(finding) }
        }
    }

    /// The kept findings: first those without a position, ordered by page; then all others, ordered by position.
    public var kept: [Finding] {
        state.withLock(\.kept).sorted { ($0.position?.rawValue ?? 0, $0.page ?? 0) < ($1.position?.rawValue ?? 0, $1.page ?? 0) }
    }

    /// Whether a kept finding says that stored bytes have changed or are missing.
    var hasDamage: Bool {
        let damage: Set<Finding.Kind> = [.page, .gap, .record, .tree]
        return state.withLock { $0.kept.contains { damage.contains($0.kind) } }
    }

    /// The number of all findings.
    public var count: Int { state.withLock(\.count) }
}
