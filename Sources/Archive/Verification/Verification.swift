public import Audit
public import EventLog
internal import LMDB
public import Loyalty
internal import LoyaltyCodec
public import Merkle

/// Checks everything in a data folder's log and its index without relying on any part of it: pages, records, times, tree, checkpoint,
/// rules.
///
/// It changes nothing, reads the file without the storage engine, and may run beside a server. It covers the positions at its start, and
/// holds the commit whose pages it checks; a note says so if it cannot.
///
/// Changed bytes are found except where nothing reads them: free pages, free space in pages, the rest of a big value's last page, the older
/// meta page's roots, and the requested map size.
///
/// Memory: a bit for each page, four ranges of decoded events for each thread, and the facts of ``RuleBook``.
public struct Verification {
    /// Options of a verification.
    public struct Options: Sendable {
        /// The path of a signed checkpoint with which the log must begin; nil for the folder's own one.
        public var checkpoint: String?
        /// The key that must have signed the checkpoint, which then must exist; nil checks only size and root.
        public var key: VerifierKey?
        /// Events more than a day later are only noted: a clock that was ahead wrote them.
        public var now: Timestamp
        public var jobs = 2

        public init(now: Timestamp) { self.now = now }
    }

    /// In microseconds. Clocks of machines differ by less than a day.
    private static let futureMax: Int64 = 86_400_000_000

    private let folder: AuditedFolder
    private let options: Options
    private let findings = FindingList()

    public init(_ folder: AuditedFolder, options: Options) { (self.folder, self.options) = (folder, options) }

    /// Runs all checks.
    ///
    /// - Parameter progress: called from time to time with the position that the checks have reached, on any thread.
    /// - Throws: ``AuditError`` if the folder cannot be checked at all.
    public func run(progress: @escaping @Sendable (UInt64) -> Void = { _ in }) throws(AuditError) -> VerifyReport {
        // The checkpoint is read before the log, because a server may sign events beyond those that are checked.
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

    /// The first thread begins with the pages, the last one with the index. Then all check ranges of positions.
    private func check(_ log: LogFile, _ index: IndexCheck, _ progress: @escaping @Sendable (UInt64) -> Void) -> ChunkQueue {
        let jobs = max(1, options.jobs)
        let latest = options.now.microseconds.addingReportingOverflow(Self.futureMax).partialValue
        let history = HistoryCheck(findings, latest: latest)
        let queue = ChunkQueue(head: log.head.rawValue, jobs: jobs, history: history, progress: progress)
        let workers = Workers(jobs, named: "verify") { [findings] number in
            if number == 0 {
                Self.checkStructure(log, findings)
                // Only the check of the pages needs a single commit. Its release lets a running server reuse that commit's pages.
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
    public let folder: String
    /// The last position in the commit that was checked.
    public let head: Position
    /// The stored root at the head; nil without a readable tree. Without findings, it equals the computed root.
    public var root: NodeHash?
    /// The number of covered events; nil if there is no matching checkpoint.
    public var checkpoint: UInt64?
    /// The last position in the index.
    public var indexed: Position?
    /// At most ``FindingList/keptMax``.
    public var findings: [Finding] = []
    public var findingCount = 0
    /// Remarks for the operator that are not faults.
    public var notes: [String] = []
    /// Empty if the log could not be read to its end.
    public internal(set) var shownPictures: Set<ImageID> = []

    init(folder: String, head: Position) { (self.folder, self.head) = (folder, head) }

    public var isClean: Bool { findingCount == 0 }
}
