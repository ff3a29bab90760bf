public import Audit
public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Merkle

/// Checks everything in a data folder's log without relying on any part of it: pages, records, times, tree, checkpoint and rules. It also
/// checks the log's index.
///
/// The verification changes nothing, reads the log's file without the storage engine, and may run beside a server. It covers the positions
/// that existed at its start. While it checks the pages of one commit, it keeps a server from overwriting these pages. If it cannot do so,
/// a note of the report says so.
///
/// Every changed byte of the log's file is found, except in places that are never read: a free page, the free space of a page, the rest of
/// the last page of a big value, the roots in the older meta page, and the requested map size.
///
/// The verification needs memory for one bit for each page, for four ranges of decoded events for each thread, and for the facts that
/// ``RuleBook`` keeps.
public struct Verification {
    /// Options of a verification.
    public struct Options: Sendable {
        /// The path of a signed checkpoint; nil for the folder's own checkpoint, if there is one. The log must begin with the events that
        /// the checkpoint covers.
        public var checkpoint: String?
        /// The key that must have signed the checkpoint. If it is nil, only the checkpoint's size and root are checked. If it is not nil, a
        /// missing checkpoint is a finding.
        public var key: VerifierKey?
        /// The present time. Events whose times are more than a day later are noted, and are no findings: a clock that was ahead wrote
        /// them, and they keep their times.
        public var now: Timestamp
        /// The number of threads, at least 1.
        public var jobs = 2

        public init(now: Timestamp) { self.now = now }
    }

    /// The maximum number of microseconds by which an event's time may be in the future without a note: a day. Clocks of machines differ
    /// by less.
    private static let futureMax: Int64 = 86_400_000_000

    private let folder: AuditedFolder
    private let options: Options
    private let findings = FindingList()

    /// - Parameter folder: the data folder.
    public init(_ folder: AuditedFolder, options: Options) { (self.folder, self.options) = (folder, options) }

    /// Runs all checks.
    ///
    /// - Parameter progress: called from time to time with the position that the checks have reached, on any thread.
    /// - Returns: the report with the findings.
    /// - Throws: ``AuditError`` if the folder cannot be checked at all.
    public func run(progress: @escaping @Sendable (UInt64) -> Void = { _ in }) throws(AuditError) -> VerifyReport {
        // The checkpoint is read before the log, because a concurrent server may sign events beyond those that are checked.
        let checkpoint = try CheckpointCheck(folder: folder, file: options.checkpoint, key: options.key)
        let index = IndexCheck(folder, findings)
        defer { index.letGo() }
        let log = try Self.open(folder)
        defer { log.letGo() }
        var report = VerifyReport(folder: folder.path, head: log.head)
        if !log.isHeld { report.notes.append("Nothing kept a server from writing meanwhile: if one runs, look again when it is stopped.") }
        if log.damage == nil, log.tree == nil {
            report.notes.append("The log is older than trees, so no hash was compared: a server that opens it makes one.")
        }
        let queue = check(log, index, progress)
        queue.finished { history in
            report.notes += history.notes
            report.indexed = index.compare(with: history.postings, head: log.head, isWhole: history.isComplete)
            if history.isComplete { report.shownPictures = history.pictures.images }
            if !history.isComplete { report.notes.append("The rules were judged only up to the first event that could not be read.") }
        }
        let latest = (try? log.renewed()) ?? log
        report.root = try? latest.root(at: log.head.rawValue)
        switch checkpoint.outcome(of: latest) {
        case .none: break
        case .holds(let size): report.checkpoint = size
        case .broken(let finding): findings.add(log.damage == nil && !findings.hasDamage ? finding : finding.following)
        }
        let isDamaged = log.damage != nil || findings.hasDamage
        report.findings = isDamaged ? findings.kept.map(\.besideDamage) : findings.kept
        report.findingCount = findings.count
        return report
    }

    private static func open(_ folder: AuditedFolder) throws(AuditError) -> LogFile {
        do throws(EventLogError) { return try LogFile(directory: DataFolder(folder.path).log) } catch { throw AuditError(any: error) }
    }

    /// Runs the checks on several threads. The first thread begins with the pages, and the last thread with the index. Then every thread
    /// checks ranges of positions.
    private func check(_ log: LogFile, _ index: IndexCheck, _ progress: @escaping @Sendable (UInt64) -> Void) -> ChunkQueue {
        let jobs = max(1, options.jobs)
        let latest = options.now.microseconds.addingReportingOverflow(Self.futureMax).partialValue
        let history = HistoryCheck(findings, latest: latest)
        let queue = ChunkQueue(head: log.head.rawValue, jobs: jobs, history: history, progress: progress)
        let workers = Workers(jobs, named: "verify") { [findings] number in
            if number == 0 {
                Self.checkStructure(log, findings)
                // Only the check of the pages must read a single commit. The checks of positions may each read a newer commit. So the first
                // commit is released here, and a running server can reuse that commit's pages.
                log.letCommitGo()
            }
            if number == jobs - 1 { index.walk() }
            var check = ChunkCheck(log, index: index.wanted, findings: findings)
            while let range = queue.next() { queue.deliver(check.check(range)) }
        }
        workers.wait()
        return queue
    }

    private static func checkStructure(_ log: LogFile, _ findings: FindingList) {
        let file = "log/data.mdb"
        log.checkPages { found in
            findings.add(Finding(.page, page: found.page, file: file, "\(found.table.map { "table \($0): " } ?? "")\(found.what)."))
        }
        if let damage = log.damage { findings.add(Finding(.page, file: file, damage.statement)) }
        for problem in log.nameProblems(by: LoyaltySchema.schema) { findings.add(Finding(.record, file: file, problem)) }
        if log.damage == nil, log.events == nil { findings.add(Finding(.page, file: file, "there is no table of events.")) }
        if let tree = log.tree, tree.entries != log.head.rawValue {
            findings.add(Finding(.tree, "the tree has \(tree.entries) leaves, and the log \(log.head) events."))
        }
    }
}

/// The result of verifying a data folder.
public struct VerifyReport: Hashable, Sendable {
    /// The path of the verified data folder.
    public let folder: String
    /// The position of the last event in the state of the log that was checked, that of one commit.
    public let head: Position
    /// The root of the stored tree at the head; nil if the log has no tree, or if the tree cannot be read. If there are no findings, it
    /// equals the root computed from the events.
    public var root: NodeHash?
    /// The number of events that the checkpoint covers; nil if there is no checkpoint, or if the log does not match it.
    public var checkpoint: UInt64?
    /// The last position that the log's index covers; nil if there is no index.
    public var indexed: Position?
    /// The first findings, at most ``FindingList/keptMax``.
    public var findings: [Finding] = []
    /// The number of all findings.
    public var findingCount = 0
    /// Remarks for the operator that are not faults.
    public var notes: [String] = []
    /// The pictures that shops and campaigns show; empty if the log could not be read to its end.
    public internal(set) var shownPictures: Set<ImageID> = []

    init(folder: String, head: Position) { (self.folder, self.head) = (folder, head) }

    /// Whether there are no findings.
    public var isClean: Bool { findingCount == 0 }
}
