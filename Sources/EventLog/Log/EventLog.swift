internal import LMDB
internal import Merkle
internal import Synchronization

/// An append-only log of events: one writer, any number of readers, found by type and by tag.
///
/// It knows nothing of what the events mean. Everything that can be known about them is derived from it and can be made again.
///
/// Reading is for any thread at any time, and never waits for the writer. Appending goes through the one ``Appender``. An event
/// that can be read is on disk, and stays: there is no way to change or remove one.
public final class EventLog: Sendable, EventSource {
    /// What the application's numbers mean.
    public let schema: Schema
    /// When the log was created, as its first opener said.
    public let created: Timestamp
    /// The log's name in its checkpoints: for ever what its first opening for writing called it.
    public let origin: String
    /// Wakes those who wait for a commit of this process. A log opened for reading only does not hear of commits: ask its ``head``.
    public let headSignal: HeadSignal

    let storage: LogStorage
    /// Nil for reading only.
    let index: TagIndex?
    let options: Options
    /// Who follows this log.
    let followers = SubscriptionList()
    private let names: LogNames
    private let hasAppender = Mutex(false)
    private let closed = Mutex(false)

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

    /// The right to append: one for each log.
    ///
    /// - Throws: ``EventLogError/Code-swift.struct/appenderTaken``, ``EventLogError/Code-swift.struct/readOnly``,
    ///   ``EventLogError/Code-swift.struct/closed``.
    public func appender() throws(EventLogError) -> Appender {
        guard let index else { throw EventLogError(.readOnly, "\(storage.environment.directory) cannot be appended to.") }
        if closed.withLock({ $0 }) { throw EventLogError(.closed, "no appender for a closed log.") }
        let wasTaken = hasAppender.withLock { taken in
            defer { taken = true }
            return taken
        }
        if wasTaken { throw EventLogError(.appenderTaken, "a second appender was asked for.") }
        return Appender(log: self, index: index, edge: try tree.edge(at: head.rawValue))
    }

    /// Makes the batch that follows the head durable, then visible.
    ///
    /// - Throws: whatever kept it from being durable; the outcome is unknown then.
    func commit(_ batch: EncodedBatch) throws(EventLogError) {
        try options.durability.makeDurable(batch) { (batch) throws(EventLogError) in try storage.commit(batch) }
        // A crash from here on finds the events on disk and nobody told. Readers may see them before their sender is answered.
        headSignal.publish(batch.last)
    }

    /// The name of a type in this log, whether or not the schema has it.
    public func name(of type: EventType) -> String? { names.types[type] }

    /// The name of a kind of tag in this log, whether or not the schema has it.
    public func name(of kind: TagKind) -> String? { names.kinds[kind] }

    /// Ends what goes on in the background, ends all waiting, and completes the index, so that the next opening is quick.
    ///
    /// The appender MUST not be used any more. The files are let go with the last reference to the log and its appender; until
    /// then it can be read. Without this nothing is lost, and it is done when the last reference goes. A second call does nothing.
    ///
    /// - Throws: what kept the index from being completed; the log itself is on disk anyway.
    public func close() throws(EventLogError) { try finish() }

    private func finish() throws(EventLogError) {
        let wasClosed = closed.withLock { closed in
            defer { closed = true }
            return closed
        }
        if wasClosed { return }
        headSignal.close()
        try index?.close(head: headSignal.head)
    }
}
