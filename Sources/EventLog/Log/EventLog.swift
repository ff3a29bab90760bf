internal import LMDB
public import Merkle
internal import Synchronization

/// An append-only log of events with one writer and any number of readers. Events are found by type and by tag.
///
/// All other data is derived from it. Any thread may read at any time, and never waits for the writer; only the ``Appender`` appends. An
/// event that can be read is on disk, and can never be changed or removed.
public final class EventLog: Sendable, EventSource {
    public let schema: Schema
    /// The creation time, as given by the first opener.
    public let created: Timestamp
    /// The log's name in its checkpoints: the stored one, or the one that it would get (``givenName()``).
    public let origin: String
    /// Wakes threads and tasks that wait for a commit of this process. If the log is open for reading only, read ``head`` repeatedly
    /// instead.
    public let headSignal: HeadSignal

    let storage: LogStorage
    /// Nil if the log is open for reading only.
    let index: TagIndex?
    let options: Options
    let followers = SubscriptionList()
    private let names: LogNames
    private let hasAppender = Mutex(false)
    private let closed = Atomic(false)

    /// Opens a log. With ``Access/readWrite`` the log is created if the folder has none, and its index is brought up to date.
    ///
    /// - Parameters:
    ///   - directory: the log's own folder, which needs backups.
    ///   - index: the index's own folder, which may be deleted while the log is closed. Not used for reading only.
    ///   - schema: the names of the numbers. An opening for writing adds new ones to the log.
    ///   - access: whether this process appends.
    ///   - created: the current time, stored if the log is created.
    ///   - options: limits, and the step that makes a batch durable.
    /// - Throws: ``EventLogError`` `.missing`, `.notALog`, `.formatTooNew`, `.schemaConflict`, `.invalidOrigin`, `.otherOrigin`,
    ///   `.damaged`, `.storage` (locked by another process, full disk), `.io` (the index's folder).
    public init(
        directory: String, index: String, schema: Schema, access: Access, created: Timestamp, options: Options = .init()
    ) throws(EventLogError) {
        try LogStorage.check(origin: options.origin)
        storage = try LogStorage.open(directory, access: access, created: created, options: options)
        names = try LogNames(of: storage, matching: schema)
        self.created = try storage.created()
        origin = try storage.settleOrigin(options, created: self.created)
        (self.schema, self.options) = (schema, options)
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

    /// The last committed position. For reading only, each call reads it from the file; if that fails, it is the last head that could be
    /// read.
    public var head: Position {
        if index == nil, let stored = try? storage.head() { headSignal.publish(stored) }
        return headSignal.head
    }

    /// Returns the log's appender. There is at most one at a time, and a running ``LogWriter`` holds it.
    ///
    /// - Parameter durability: of the appender's batches; nil for that of the options.
    /// - Throws: ``EventLogError`` `.appenderTaken`, `.readOnly`, `.closed`; errors of reading the tree.
    public func appender(durability: (any BatchDurability)? = nil) throws(EventLogError) -> Appender {
        guard let index else { throw EventLogError(.readOnly, "\(storage.environment.directory) cannot be appended to.") }
        if isClosed { throw EventLogError(.closed, "no appender for a closed log.") }
        let wasTaken = hasAppender.withLock { taken in
            defer { taken = true }
            return taken
        }
        if wasTaken { throw EventLogError(.appenderTaken, "the log has an appender, or a writer that has it.") }
        do throws(EventLogError) {
            return Appender(log: self, index: index, edge: try tree.edge(at: head.rawValue), durability: durability ?? options.durability)
        } catch {
            releaseAppender()
            throw error
        }
    }

    func releaseAppender() { hasAppender.withLock { $0 = false } }

    var isClosed: Bool { closed.load(ordering: .acquiring) }

    /// The name of a type in this log, even if the schema does not have it.
    public func name(of type: EventType) -> String? { names.types[type] }

    /// The name of a kind in this log, even if the schema does not have it.
    public func name(of kind: TagKind) -> String? { names.kinds[kind] }

    /// Ends background work and all waits, and completes the index so that the next opening is fast.
    ///
    /// Stop the ``LogWriter`` first; later appends fail (`.closed`). The last reference to the log, its appender and its writer closes the
    /// files; until then the log can be read. Releasing it does the same as this call. A second call does nothing.
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
    /// A process's access to a log.
    public enum Access: Sendable, Hashable {
        /// Only reads, also while a server writes, without a writer lock. Without an index, queries by tag examine every event.
        case readOnly
        /// The only process that appends. It also maintains the index.
        case readWrite
    }

    /// Options for opening a log. The defaults suit a server.
    public struct Options: Sendable {
        /// The events at which the index's memory part is flushed, at least 1; see ``LogLimits/indexFlushEvents``.
        public var indexFlushEvents = LogLimits.indexFlushEvents
        /// The events in memory at which the writer waits, at least ``indexFlushEvents``.
        public var indexStallEvents = LogLimits.indexStallEvents
        /// The maximum events in memory while runs cannot be stored, at least ``indexStallEvents``.
        public var indexMemoryEvents = LogLimits.indexMemoryEvents
        /// Milliseconds until the first retry of a failed flush or merge of the index.
        public var indexRetryMilliseconds = LogLimits.indexRetryMilliseconds
        /// The index runs merged into one, at least 2; see ``LogLimits/indexMergeFactor``.
        public var indexMergeFactor = LogLimits.indexMergeFactor
        public var map = MapLimit()
        /// The log's name: a URL without scheme and trailing slash, such as `tea.example/log`. Nil keeps an existing name, or names a new
        /// log after its creation time.
        public var origin: String?
        /// Whether an opening for writing without ``origin`` leaves a nameless log for a server to name.
        package var leavesNameOpen = false
        /// Whether a failed assertion of LMDB, as at a damaged page, ends the process with a message and exit code 2.
        package var endsOnDamage = false
        /// Bytes of events after which a walk releases the memory that it has passed, for a server that reads its whole log. Nil keeps it
        /// mapped, which is faster if the events are read again soon.
        public var walkBytesHeld: Int?
        /// Removed at closing.
        var temporaryFolder: String?
        public var durability: any BatchDurability = LocalCommit()

        public init() {}

        var environment: Environment.Options {
            var options = Environment.Options()
            // Otherwise unused parts of pages would carry old process memory, perhaps with personal data, into every backup.
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
    /// The positions of the matching events; see ``EventSource``.
    public func positions(
        matching query: Query, after: Position, through: Position, backwards: Bool, limit: Int
    ) throws(EventLogError) -> [Position] {
        try query.check(by: schema)
        let range = try PositionRange(after: after, through: through, backwards: backwards, limit: limit, head: head)
        return try IndexedSearch(log: storage, index: index, unstored: .none).positions(matching: query, in: range)
    }

    /// The newest event with this tag and, if given, this type; see ``EventSource``.
    public func lastPosition(of tag: Tag, type: EventType?) throws(EventLogError) -> Position? {
        if let type { try schema.require(type) }
        try schema.requireIndexed(tag.kind)
        return try IndexedSearch(log: storage, index: index, unstored: .none).last(of: tag, type: type, through: head)
    }

    /// Calls `body` with a record, without copying it; see ``EventSource``.
    public func withRecord<Result>(
        at position: Position, _ body: (borrowing Record) throws(EventLogError) -> Result
    ) throws(EventLogError) -> Result? {
        if position == .start || position > head { return nil }
        guard let result = try storage.withRecord(at: position.rawValue, body) else { throw LogStorage.gap(at: position.rawValue) }
        return result
    }

    /// Calls `body` with each committed record in the order of positions until it returns false. No record is copied.
    ///
    /// It reads through short snapshots, so that a growing log can be read at any pace without pinning old pages. `body` SHOULD NOT block,
    /// because a snapshot is held meanwhile.
    ///
    /// - Parameters:
    ///   - after: exclusive; at most ``head``.
    ///   - through: inclusive; beyond the head means the head.
    ///   - body: returns whether to continue. The record is invalid afterwards.
    /// - Throws: errors of `body`, ``EventLogError`` `.afterBeyondHead`, `.damaged`, `.storage`.
    public func scan(after: Position = .start, through: Position = .max, _ body: (Position, borrowing Record) throws -> Bool) throws {
        let range = try PositionRange(after: after, through: through, backwards: false, limit: .max, head: head)
        try storage.scan(from: range.first, through: range.last, body)
    }

    public var indexStatus: IndexStatus? { index?.status }

    /// Requires that the log's file is the open one.
    ///
    /// - Throws: ``EventLogError`` `.damaged`.
    package func requireInPlace() throws(EventLogError) {
        do throws(LMDBError) { try storage.environment.requireInPlace() } catch { throw EventLogError(opening: error) }
    }

    /// The path under which the log's open file can be read while this process runs, also after it was removed or moved.
    package var openFile: String { storage.environment.openFile }

    /// Requires that nothing overwrote the log's lock file while it is open. Takes no time.
    ///
    /// - Throws: ``EventLogError`` `.storage`.
    package func requireLockFile() throws(EventLogError) {
        do throws(LMDBError) { try storage.environment.requireLockFile() } catch { throw EventLogError(error) }
    }

    /// Reads the whole index, and requests the rebuild of damaged files. Look-ups work meanwhile.
    public func inspectIndex() { index?.store.inspect() }

    /// Recreates the index's folder and requests the rebuild of its files, if something removed them; returns whether anything was missing.
    /// Look-ups work meanwhile.
    ///
    /// - Throws: ``EventLogError`` `.storage`.
    public func mendIndex() throws(EventLogError) -> Bool { try index?.store.mendRemoved() ?? false }
}

extension EventLog {
    /// The Merkle tree over the records, for making tiles and for verification.
    public var tree: LogTree { LogTree(storage: storage) }

    /// The root of the tree over the events up to a position, or over all events.
    ///
    /// - Throws: ``EventLogError`` `.afterBeyondHead`, `.damaged`, `.storage`.
    public func root(through position: Position? = nil) throws(EventLogError) -> NodeHash {
        let size = position ?? head
        try require(size)
        do { return try tree.root(at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that an event is in the log as of the position `size`.
    ///
    /// - Parameter position: from 1 through `size`.
    /// - Throws: as ``root(through:)``.
    public func inclusionProof(of position: Position, in size: Position) throws(EventLogError) -> InclusionProof {
        try require(size)
        guard position > .start, position <= size else {
            throw EventLogError(.afterBeyondHead, "there is no event \(position) among the first \(size).", position: position)
        }
        do { return try tree.inclusionProof(of: position.rawValue - 1, at: size.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The proof that the log as of `new` continues the log as of the earlier `old`.
    ///
    /// - Throws: as ``root(through:)``.
    public func consistencyProof(from old: Position, to new: Position) throws(EventLogError) -> ConsistencyProof {
        try require(old)
        try require(new)
        do { return try tree.consistencyProof(from: old.rawValue, to: new.rawValue) } catch { throw EventLogError(tree: error) }
    }

    /// The stored name; nil if there is none yet, and ``origin`` is the one that the log would get.
    ///
    /// - Throws: ``EventLogError`` `.damaged`, `.storage`.
    public func givenName() throws(EventLogError) -> String? { try storage.storedOrigin() }

    private func require(_ size: Position) throws(EventLogError) {
        if size > head { throw EventLogError(.afterBeyondHead, "asked for the tree at \(size), but the head is \(head)", position: size) }
    }
}

extension EventLogError {
    init(tree error: any Error) {
        if let error = error as? MerkleError { self.init(.damaged, "the tree: \(error)") } else { self.init(any: error) }
    }
}
