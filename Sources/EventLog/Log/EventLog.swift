internal import LMDB
public import Merkle
internal import Synchronization

/// An append-only log of events: one writer, any number of readers, found by type and by tag.
///
/// It knows nothing of what the events mean. Everything that can be known about them is derived from it and can be made again.
///
/// Reading is for any thread at any time, and never waits for the writer. Appending goes through the one ``Appender``. An event
/// that can be read is on disk, and stays: there is no way to change or remove one.
public final class EventLog: Sendable, EventSource {
    /// The meaning of the application's numbers.
    public let schema: Schema
    /// The creation time of the log, as given by its first opener.
    public let created: Timestamp
    /// The log's name in its checkpoints: for ever what its first opening for writing called it.
    public let origin: String
    /// Wakes those who wait for a commit of this process. A log opened for reading only does not hear of commits: ask its ``head``.
    public let headSignal: HeadSignal

    let storage: LogStorage
    /// The tag index; nil if the log is open for reading only.
    let index: TagIndex?
    let options: Options
    /// The subscriptions to this log.
    let followers = SubscriptionList()
    private let names: LogNames
    private let hasAppender = Mutex(false)
    private let closed = Atomic(false)

    /// Opens a log; with ``Access/readWrite`` it is made when the folder holds none, and its index brought up to date.
    ///
    /// - Parameters:
    ///   - directory: the log's own folder, to be backed up.
    ///   - index: the index's own folder, which may be deleted at any time while the log is closed. Not touched for reading only.
    ///   - schema: what the numbers mean; new names are added to the log when it is opened for writing.
    ///   - access: whether this is the process that appends.
    ///   - created: the present moment, stored if the log is made.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog``,
    ///   ``EventLogError/Code-swift.struct/formatTooNew``, ``EventLogError/Code-swift.struct/schemaConflict``,
    ///   ``EventLogError/Code-swift.struct/invalidOrigin``, ``EventLogError/Code-swift.struct/otherOrigin``,
    ///   ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage`` (locked by another process, full disk).
    public init(
        directory: String, index: String, schema: Schema, access: Access, created: Timestamp, options: Options = .init()
    ) throws(EventLogError) {
        try LogStorage.check(origin: options.origin)
        storage = try LogStorage.open(directory, access: access, created: created, options: options)
        names = try LogNames(of: storage, matching: schema)
        self.created = try storage.created()
        origin = try storage.settleOrigin(options, created: self.created)
        self.schema = schema
        self.options = options
        let head = try storage.head()
        if access == .readWrite { try storage.completeTree(through: head.rawValue) }
        headSignal = HeadSignal(head)
        self.index =
            switch access {
            case .readOnly: nil
            case .readWrite: try TagIndex.open(index, log: storage, schema: schema, head: headSignal, options: options)
            }
    }

    deinit { try? finish() }

    /// For reading only, as of the last commit of the writing process; else as of the last one of this process.
    ///
    /// When the file cannot be read any more, the last head that could be; every other read then says what is wrong.
    public var head: Position {
        if index == nil, let stored = try? storage.head() { headSignal.publish(stored) }
        return headSignal.head
    }

    /// The right to append, which one ``Appender`` has at a time. A ``LogWriter`` takes it when it is made.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/appenderTaken``, ``EventLogError/Code-swift.struct/readOnly``,
    ///   ``EventLogError/Code-swift.struct/closed``.
    public func appender() throws(EventLogError) -> Appender {
        guard let index else { throw EventLogError(.readOnly, "\(storage.environment.directory) cannot be appended to.") }
        if isClosed { throw EventLogError(.closed, "no appender for a closed log.") }
        let wasTaken = hasAppender.withLock { taken in
            defer { taken = true }
            return taken
        }
        if wasTaken { throw EventLogError(.appenderTaken, "the log has an appender, or a writer that has it.") }
        do throws(EventLogError) {
            return Appender(log: self, index: index, edge: try tree.edge(at: head.rawValue))
        } catch {
            releaseAppender()
            throw error
        }
    }

    /// Takes the right to append back.
    func releaseAppender() { hasAppender.withLock { $0 = false } }

    /// Whether the log was closed.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Makes the batch that follows the head durable, then visible.
    ///
    /// - Throws: whatever kept it from being durable; the outcome is unknown then.
    func commit(_ batch: EncodedBatch) throws(EventLogError) {
        try options.durability.makeDurable(batch) { (batch) throws(EventLogError) in try storage.commit(batch) }
        // A crash from here on leaves the events on disk and no caller answered. Readers may see them before their sender is answered.
        headSignal.publish(batch.last)
    }

    /// The name of a type in this log, whether or not the schema has it.
    public func name(of type: EventType) -> String? { names.types[type] }

    /// The name of a kind of tag in this log, whether or not the schema has it.
    public func name(of kind: TagKind) -> String? { names.kinds[kind] }

    /// Ends background work, ends all waiting, and completes the index, so that the next opening is quick.
    ///
    /// Stop the ``LogWriter`` before. An append afterwards is refused (``EventLogError/Code-swift.struct/closed``). The files are released
    /// with the last reference to the log, its appender and its writer; until then it can be read. Without this call nothing is lost, and
    /// the release of the last reference does the same. A second call does nothing.
    ///
    /// - Throws: the error that kept the index from being completed; the log itself is on disk in any case.
    public func close() throws(EventLogError) { try finish() }

    private func finish() throws(EventLogError) {
        if closed.exchange(true, ordering: .acquiringAndReleasing) { return }
        headSignal.close()
        defer { options.removeTemporaryFolder() }
        try index?.close(head: headSignal.head)
    }
}

extension EventLog {
    /// The access of a process to a log.
    public enum Access: Sendable, Hashable {
        /// Reads beside a server that writes: no index, no lock, and tag queries look at every event.
        case readOnly
        /// The one process that appends; it also keeps the index.
        case readWrite
    }

    /// How to open a log. The defaults suit a server.
    public struct Options: Sendable {
        /// Events in the index's memory part before it is flushed, at least 1; see ``LogLimits/indexFlushEvents``.
        public var indexFlushEvents = LogLimits.indexFlushEvents
        /// Events in the index's memory part at which the writer waits, at least ``indexFlushEvents``.
        public var indexStallEvents = LogLimits.indexStallEvents
        /// Events that the index's memory part takes while runs cannot be stored, at least ``indexStallEvents``.
        public var indexMemoryEvents = LogLimits.indexMemoryEvents
        /// Milliseconds until a failed flush or merge of the index is tried again for the first time.
        public var indexRetryMilliseconds = LogLimits.indexRetryMilliseconds
        /// Runs of the index that are merged into one, at least 2; see ``LogLimits/indexMergeFactor``.
        public var indexMergeFactor = LogLimits.indexMergeFactor
        /// The largest size that the log's file may grow to.
        public var map = MapLimit()
        /// The log's name, as it is or as it shall be: a URL without scheme and trailing slash, such as `tea.example/log`. Nil takes the
        /// present name, and names a new log after its creation (see ``EventLog/origin``).
        public var origin: String?
        /// Whether a log without a name may stay so although it is opened for writing: its first opening by a server names it then.
        package var leavesNameOpen = false
        /// Whether a damaged page that LMDB stumbles over ends the process with a sentence and exit code 2: for tools.
        package var endsOnDamage = false
        /// Bytes of events after which a walk through the log returns the memory behind it to the system. Nil keeps it mapped, which is
        /// quicker if the events are read again soon, as in tools. For a server, which may walk through its whole log once a day.
        public var walkBytesHeld: Int?
        /// The folder to remove when the log is closed: that of a temporary log.
        var temporaryFolder: String?
        /// The step that makes a batch durable.
        public var durability: any BatchDurability = LocalCommit()

        /// The defaults.
        public init() {}

        /// The storage layer's options for the log itself.
        var environment: Environment.Options {
            var options = Environment.Options()
            // Else the slack of pages would carry what the process's memory held, perhaps personal data, into every backup.
            options.zeroesPages = true
            options.mapSizeDefault = LogLimits.logMapBytesMax
            map.set(&options)
            options.endsOnDamage = endsOnDamage
            options.walkBytesHeld = walkBytesHeld
            return options
        }
    }
}

extension EventLog {
    /// The places of the committed events that match; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: storage, index: index, unstored: .none).positions(matching: query, in: range)
    }

    /// The newest committed event that has this tag and, if given, this type.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if let type { try schema.require(type) }
        try schema.requireIndexed(tag.kind)
        return try IndexedSearch(log: storage, index: index, unstored: .none).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a committed record, in place.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        if position == .start || position > head { return nil }
        guard let result = try storage.withRecord(at: position.rawValue, body) else { throw LogStorage.gap(at: position.rawValue) }
        return result
    }

    /// Calls `body` with each committed record in the order of positions, in place, until it returns false.
    ///
    /// It reads through a sequence of short snapshots, so the log can be walked from end to end while it grows, at any pace, without
    /// pinning old pages. `body` SHOULD NOT block, because it holds one snapshot meanwhile. No record is copied.
    ///
    /// - Parameters:
    ///   - after: exclusive; at most ``head``.
    ///   - through: inclusive; a position beyond the head means the head.
    ///   - body: returns whether to continue; the record is invalid after it returns.
    /// - Throws: what `body` throws, ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func scan(
        after: Position = .start, through: Position = .max, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        let range = try PositionRange(after: after, through: through, backwards: false, limit: .max, head: head)
        try storage.scan(from: range.first, through: range.last, body)
    }

    /// The status of the tag index; nil for a log that was opened for reading only.
    public var indexStatus: IndexStatus? { index?.status }

    /// Makes the index's folder and files again where something removed them beside this process. Look-ups answer in either case.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    public func mendIndex() throws(EventLogError) -> Bool { try index?.store.mendRemoved() ?? false }
}

extension EventLog {
    /// The Merkle tree over the records, to make tiles from and to verify.
    public var tree: LogTree { LogTree(storage: storage) }

    /// The root of the tree over the first events, up to a position; all of them unless told otherwise.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func root(through position: Position? = nil) throws(EventLogError) -> NodeHash {
        let size = position ?? head
        try require(size)
        do { return try tree.root(at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that an event is in the log as it was at a position.
    ///
    /// - Parameter position: of the event, from 1 through `size`.
    /// - Throws: as ``root(through:)``.
    public func inclusionProof(of position: Position, in size: Position) throws(EventLogError) -> InclusionProof {
        try require(size)
        guard position > .start, position <= size else {
            throw EventLogError(.afterBeyondHead, "there is no event \(position) among the first \(size).", position: position)
        }
        do { return try tree.inclusionProof(of: position.rawValue - 1, at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that the log at one position began as the log at an earlier one was.
    ///
    /// - Throws: as ``root(through:)``.
    public func consistencyProof(from old: Position, to new: Position) throws(EventLogError) -> ConsistencyProof {
        try require(old)
        try require(new)
        do { return try tree.consistencyProof(from: old.rawValue, to: new.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The name that the log was given, or gave itself when it was opened for writing; nil for one that has none yet, whose
    /// ``origin`` is only what it would be called.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func givenName() throws(EventLogError) -> String? { try storage.storedOrigin() }

    private func require(_ size: Position) throws(EventLogError) {
        if size > head { throw EventLogError(.afterBeyondHead, "asked for the tree at \(size), but the head is \(head)", position: size) }
    }
}

extension EventLogError {
    /// Whatever came out of the tree's own code or of its storage.
    init(tree error: any Error) {
        if let error = error as? MerkleError { self.init(.damaged, "the tree: \(error)") } else { self.init(any: error) }
    }
}
