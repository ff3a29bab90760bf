internal import EventLog
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Applies the log's events to the search model: it collects the events that concern the model, then stores their effects and the new
/// position in one transaction.
///
/// A part of the log without such events causes no write: an event that does not concern this model, such as a stamp, costs only one check
/// of its type. The stored position then stays behind, and after a crash that part of the log is read again.
///
/// SQLite's connection pool cannot be closed while it has readers. So a pool that is no longer in use is only released; it closes when its
/// last reader ends. If a reader's folder has been removed, the reader uses the new pool. SQLite permits several writing processes, but
/// `GenerationHold` permits only one.
struct DiscoveryFollower: ModelFollower {
    private let file: DiscoveryFile
    private let log: EventLog
    /// The cache of campaigns' favourite counts and of accounts' favourites, from which changed entries are dropped; nil in a builder,
    /// which serves no readers.
    private let standings: StandingCache?
    /// Finds the keys of sealed (encrypted) data. If it is nil, sealed data stays in the rows until a process with the keys opens it.
    private let findKey: Discovery.KeyFinder?
    private let wanted = TypeFilter(Discovery.eventTypes)

    /// Every event up to this position is stored or does not concern the model.
    private(set) var position: Position
    /// The number of events of this model's types so far.
    private(set) var applied = 0

    init(
        _ file: DiscoveryFile, log: EventLog, standings: StandingCache? = nil, findKey: Discovery.KeyFinder? = nil
    ) throws(ReadModelError) {
        (self.file, self.log, self.standings, self.findKey) = (file, log, standings, findKey)
        position = try file.mark().position
        guard let findKey else { return }
        // The rows may come from a builder, which has no keys. This process has the keys, so it opens the sealed data now.
        do { try file.pool.write { try $0.openSealed(findKey) } } catch { throw ReadModelError(discovery: error) }
    }

    @available(*, noasync)
    mutating func advance(towards head: Position) throws(ReadModelError) {
        guard position < head else { return }
        let through = Position(min(head.rawValue, position.rawValue + UInt64(ProjectionLimits.eventsPerBatch)))
        do {
            let (facts, reached) = try gather(through: through)
            if !facts.isEmpty { try store(facts, reached) }
            position = reached
            applied += facts.count
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// Persists the position even if no recent event concerned this model, so that another process can resume.
    func settle() throws(ReadModelError) {
        do {
            guard let mark = try ModelMark(position, in: log) else { return }
            try file.pool.write { try $0.put(mark) }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

    /// The next events that concern the model, and the position of the last event that was read.
    private func gather(through: Position) throws -> ([Fact], Position) {
        var facts: [Fact] = []
        var reached = position
        try log.scan(after: position, through: through) { (position, record) throws -> Bool in
            reached = position
            guard wanted.contains(record.type) else { return true }
            do throws(CodecError) { facts.append(try LoyaltyCodec.decode(record, at: position)) } catch {
                throw refusal(error, position, record.type)
            }
            return facts.count < SearchLimits.factsPerBatch
        }
        return (facts, reached)
    }

    private func store(_ facts: [Fact], _ reached: Position) throws {
        guard let mark = try ModelMark(reached, in: log) else {
            throw ReadModelError(.log, model: Discovery.name, position: reached, "the log has no event there")
        }
        try file.pool.write { db in
            for fact in facts { try db.apply(fact) }
            if let findKey { try db.openSealed(findKey) }
            try db.put(mark)
        }
        // The write-ahead log still contains pages with the erased contact data, so it is emptied. If readers prevent that now, it is
        // emptied after the next event that erases contact data, or when the database is closed.
        if facts.contains(where: \.erasesContact) { try? file.pool.writeWithoutTransaction { _ = try $0.checkpoint(.truncate) } }
        standings?.forget(facts)
    }

    private func refusal(_ error: CodecError, _ position: Position, _ type: EventType) -> ReadModelError {
        ReadModelError(
            .eventRefused, model: Discovery.name, position: position, eventType: log.name(of: type) ?? "type \(type.rawValue)",
            "\(error.detail). \(error.remedy)")
    }
}

extension Discovery {
    /// Connects a generation of the search model to a ``ModelRunner``, which advances it and can replace it by another generation.
    struct Exchange: Sendable {
        let box: ModelBox<DiscoveryFile>
        let standings: StandingCache
        let folder: ModelFolder
        let log: EventLog
        let findKey: KeyFinder?

        /// A generation in the form that a ``ModelRunner`` accepts.
        func waiting(_ file: DiscoveryFile) throws(ReadModelError) -> WaitingModel {
            let followed = WaitingModel(
                name: Discovery.name, position: try file.mark().position, reason: file.reason, generation: file.generation,
                follower: { () throws(ReadModelError) -> any ModelFollower in
                    try DiscoveryFollower(file, log: log, standings: standings, findKey: findKey)
                },
                close: { () throws(ReadModelError) in try file.close(besideReaders: true) })
            return WaitingModel(
                followed, retire: { () throws(ReadModelError) in try file.retire() },
                serve: {
                    box.put(file)
                    // From here on, new reads use the new generation, and cached results of the old one are dropped.
                    standings.forgetAll()
                },
                exchange: ModelExchange(
                    folder, reads: { $0 == DiscoverySchema.version },
                    open: { (handover, isStopping) throws(ReadModelError) in try waiting(try open(handover, unless: isStopping)) },
                    remake: { (lost) throws(ReadModelError) in try waiting(try DiscoveryFile.remake(after: lost, in: folder)) }),
                replaced: file.replaced, health: file.health)
        }

        private func open(_ handover: Handover, unless isStopping: () -> Bool) throws(ReadModelError) -> DiscoveryFile {
            try ModelExchange.requireSealed(handover, in: folder, unless: isStopping)
            let file = try DiscoveryFile.goOn(with: handover.generation, in: folder)
            let fits = try file.fits(log)
            try ModelExchange.requireMark(try file.mark(), file.reason == nil && fits, of: handover, in: folder)
            return file
        }
    }
}
