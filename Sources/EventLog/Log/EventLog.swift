internal import LMDB
public import Merkle
internal import Synchronization

/// An append-only log of events with one writer and any number of readers. Events are found by type and by tag.
///
/// It does not interpret the events. All other data is derived from it and can be rebuilt.
///
/// Any thread may read at any time, and never waits for the writer. Appending goes through the only ``Appender``. An event that can be read
/// is on disk and permanent: no event can be changed or removed.
public final class EventLog: Sendable, EventSource {
    /// The application's names for the numbers of types and tag kinds.
    public let schema: Schema
    /// The creation time of the log, as given by its first opener.
    public let created: Timestamp
    /// The log's name in its checkpoints: the permanent stored name, or the name that the log would get if it has none yet
    /// (``givenName()``).
    public let origin: String
    /// Wakes threads and tasks that wait for a commit of this process. A log that is open for reading only gets no signals, so its user
    /// must read ``head`` repeatedly.
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

    /// Opens a log. With ``Access/readWrite`` the log is created if the folder has none, and its index is brought up to date.
    ///
    /// - Parameters:
    ///   - directory: the log's own folder, which needs backups.
    ///   - index: the index's own folder, which may be deleted at any time while the log is closed. Not used by a log that is open for
    ///     reading only.
    ///   - schema: the names of the numbers. New names are added to the log when it is opened for writing.
    ///   - access: whether this process appends.
    ///   - created: the current time, stored if the log is created.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError/Code-swift.struct/missing``, ``EventLogError/Code-swift.struct/notALog``,
    ///   ``EventLogError/Code-swift.struct/formatTooNew``, ``EventLogError/Code-swift.struct/schemaConflict``,
    ///   ``EventLogError/Code-swift.struct/invalidOrigin``, ``EventLogError/Code-swift.struct/otherOrigin``,
    ///   ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage`` (locked by another process, full disk),
    ///   ``EventLogError/Code-swift.struct/io`` (the index's folder).
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

    /// The last committed position. If the log is open for reading only, each call reads the position from the file, to see the writing
    /// process's commits.
    ///
    /// If the file has become unreadable, this is the last head that could be read; other reads then report the error.
    public var head: Position {
        if index == nil, let stored = try? storage.head() { headSignal.publish(stored) }
        return headSignal.head
    }

    /// Returns the log's appender. There is at most one at a time, and a running ``LogWriter`` holds it.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/appenderTaken``, ``EventLogError/Code-swift.struct/readOnly``,
    ///   ``EventLogError/Code-swift.struct/closed``; errors of reading the tree.
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

    /// Permits the log to have a new appender.
    func releaseAppender() { hasAppender.withLock { $0 = false } }

    /// Whether the log was closed.
    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// Makes the batch that follows the head durable, then visible.
    ///
    /// - Throws: any error at making the batch durable; the outcome is then unknown.
    func commit(_ batch: EncodedBatch) throws(EventLogError) {
        try options.durability.makeDurable(batch) { (batch) throws(EventLogError) in try storage.commit(batch) }
        // If the process crashes after this point, the events are on disk, but no caller has an answer. From the publication on, readers
        // may see an event before its sender has an answer.
        headSignal.publish(batch.last)
    }

    /// The name of a type in this log, even if the schema does not have it.
    public func name(of type: EventType) -> String? { names.types[type] }

    /// The name of a kind of tag in this log, even if the schema does not have it.
    public func name(of kind: TagKind) -> String? { names.kinds[kind] }

    /// Ends background work and all waits, and completes the index so that the next opening is fast.
    ///
    /// Stop the ``LogWriter`` first. Later appends fail (``EventLogError/Code-swift.struct/closed``). The files are closed with the last
    /// reference to the log, its appender and its writer; until then the log can be read. Without this call nothing is lost: releasing the
    /// last reference does the same. A second call does nothing.
    ///
    /// - Throws: the error that prevented completing the index; the log itself is on disk in any case.
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
        /// The process only reads, also while a server writes. It uses no index, so queries by tag examine every event. It takes no writer
        /// lock.
        case readOnly
        /// The process is the only one that appends. It also maintains the index.
        case readWrite
    }

    /// Options for opening a log. The defaults suit a server.
    public struct Options: Sendable {
        /// The number of events at which the index's memory part is flushed, at least 1; see ``LogLimits/indexFlushEvents``.
        public var indexFlushEvents = LogLimits.indexFlushEvents
        /// The number of events in the index's memory part at which the writer waits, at least ``indexFlushEvents``.
        public var indexStallEvents = LogLimits.indexStallEvents
        /// The maximum number of events that the index's memory part accepts while runs cannot be stored, at least ``indexStallEvents``.
        public var indexMemoryEvents = LogLimits.indexMemoryEvents
        /// Milliseconds until a failed flush or merge of the index is tried again for the first time.
        public var indexRetryMilliseconds = LogLimits.indexRetryMilliseconds
        /// The number of index runs that are merged into one, at least 2; see ``LogLimits/indexMergeFactor``.
        public var indexMergeFactor = LogLimits.indexMergeFactor
        /// The maximum size of the log's file.
        public var map = MapLimit()
        /// The log's name, existing or new: a URL without scheme and trailing slash, such as `tea.example/log`. Nil keeps the existing
        /// name, and names a new log after its creation time (see ``EventLog/origin``).
        public var origin: String?
        /// Whether a log without a name stays without one when it is opened for writing and ``origin`` is nil. The next opening by a server
        /// then names the log.
        package var leavesNameOpen = false
        /// Whether a failed assertion of LMDB, for example at a damaged page, ends the process with an error message and exit code 2. Tools
        /// set this.
        package var endsOnDamage = false
        /// Bytes of events after which a walk through the log releases the memory of the part that the walk has passed. A server sets this,
        /// because it may read its whole log once a day. Nil keeps the memory mapped, which is faster if the events are read again soon, as
        /// in tools.
        public var walkBytesHeld: Int?
        /// The folder to remove at closing, for a temporary log.
        var temporaryFolder: String?
        /// The step that makes a batch durable.
        public var durability: any BatchDurability = LocalCommit()

        /// Creates the default options.
        public init() {}

        /// The storage layer's options for the log itself.
        var environment: Environment.Options {
            var options = Environment.Options()
            // Pages are zeroed, because their unused parts would otherwise carry old process memory, perhaps with personal data, into every
            // backup.
            options.zeroesPages = true
            options.mapSizeDefault = LogLimits.logMapBytesMax
            map.set(&options)
            options.endsOnDamage = endsOnDamage
            options.walkBytesHeld = walkBytesHeld
            options.roomBytes = LogLimits.roomBytes
            return options
        }
    }
}

extension EventLog {
    /// The positions of the matching committed events; see ``EventSource``.
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

    /// Calls `body` with a committed record, without copying it.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        if position == .start || position > head { return nil }
        guard let result = try storage.withRecord(at: position.rawValue, body) else { throw LogStorage.gap(at: position.rawValue) }
        return result
    }

    /// Calls `body` with each committed record in the order of positions until it returns false. No record is copied.
    ///
    /// It reads through a sequence of short snapshots, so that a growing log can be read from end to end at any pace without pinning old
    /// pages. `body` SHOULD NOT block, because a snapshot is held while it runs.
    ///
    /// - Parameters:
    ///   - after: the exclusive lower bound; at most ``head``.
    ///   - through: the inclusive upper bound; a position beyond the head means the head.
    ///   - body: returns whether to continue. The record is invalid after `body` has returned.
    /// - Throws: errors of `body`, ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func scan(
        after: Position = .start, through: Position = .max, _ body: (Position, borrowing Record) throws -> Bool
    ) throws {
        let range = try PositionRange(after: after, through: through, backwards: false, limit: .max, head: head)
        try storage.scan(from: range.first, through: range.last, body)
    }

    /// The status of the tag index; nil for a log that was opened for reading only.
    public var indexStatus: IndexStatus? { index?.status }

    /// Requires that the file of the log is the one that is open, and that its lock file is intact; see ``Environment/requireInPlace()``
    /// and ``Environment/requireLockFile()``.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged`` for the file, ``EventLogError/Code-swift.struct/storage`` for the lock file.
    package func requireInPlace() throws(EventLogError) {
        do throws(LMDBError) {
            try storage.environment.requireInPlace()
            try storage.environment.requireLockFile()
        } catch { throw EventLogError(opening: error) }
    }

    /// Reads the whole index, and requests the rebuild of the files with damaged blocks. Look-ups work meanwhile.
    public func inspectIndex() { index?.store.inspect() }

    /// Recreates the index's folder, and requests the rebuild of the index's files, if something outside this process removed them.
    /// Look-ups work meanwhile.
    ///
    /// - Returns: whether anything was missing.
    /// - Throws: ``EventLogError/Code-swift.struct/storage``.
    public func mendIndex() throws(EventLogError) -> Bool { try index?.store.mendRemoved() ?? false }
}

extension EventLog {
    /// The Merkle tree over the records, for making tiles and for verification.
    public var tree: LogTree { LogTree(storage: storage) }

    /// The root of the tree over the events up to a position, or over all events.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/afterBeyondHead``, ``EventLogError/Code-swift.struct/damaged``,
    ///   ``EventLogError/Code-swift.struct/storage``.
    public func root(through position: Position? = nil) throws(EventLogError) -> NodeHash {
        let size = position ?? head
        try require(size)
        do { return try tree.root(at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that an event is in the log as of the position `size`.
    ///
    /// - Parameter position: the event's position, from 1 through `size`.
    /// - Throws: as ``root(through:)``.
    public func inclusionProof(of position: Position, in size: Position) throws(EventLogError) -> InclusionProof {
        try require(size)
        guard position > .start, position <= size else {
            throw EventLogError(.afterBeyondHead, "there is no event \(position) among the first \(size).", position: position)
        }
        do { return try tree.inclusionProof(of: position.rawValue - 1, at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that the log as of the position `new` continues the log as of the earlier position `old`.
    ///
    /// - Throws: as ``root(through:)``.
    public func consistencyProof(from old: Position, to new: Position) throws(EventLogError) -> ConsistencyProof {
        try require(old)
        try require(new)
        do { return try tree.consistencyProof(from: old.rawValue, to: new.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The stored name of the log; nil if it has none yet, in which case ``origin`` is the name that it would get.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/damaged``, ``EventLogError/Code-swift.struct/storage``.
    public func givenName() throws(EventLogError) -> String? { try storage.storedOrigin() }

    private func require(_ size: Position) throws(EventLogError) {
        if size > head { throw EventLogError(.afterBeyondHead, "asked for the tree at \(size), but the head is \(head)", position: size) }
    }
}

extension EventLogError {
    /// Wraps an error of the tree's code or of its storage.
    init(tree error: any Error) {
        if let error = error as? MerkleError { self.init(.damaged, "the tree: \(error)") } else { self.init(any: error) }
    }
}
