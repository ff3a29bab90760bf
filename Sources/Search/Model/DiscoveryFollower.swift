internal import EventLog
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Advances the model: gathers the events that concern it, then stores their effect with their position in one transaction.
///
/// A stretch of the log without such events writes nothing. The stored position then stays behind, and a restart reads that stretch again.
/// So a stamp costs this model one check of its type.
///
/// The pool of SQLite cannot be closed under readers, so it is released and closes itself with the last reader; a reader that finds its
/// folder gone asks the new pool. SQLite lets several processes write, and `GenerationHold` lets only one.
struct DiscoveryFollower: ModelFollower {
    private let file: DiscoveryFile
    private let log: EventLog
    /// The cache to invalidate on changes; nil without readers.
    private let standings: StandingCache?
    /// Nil where there are no keys: what is sealed then waits in the rows for somebody who has them.
    private let findKey: Discovery.KeyFinder?
    private let wanted = TypeFilter(Discovery.eventTypes)

    /// Everything up to here is stored or concerns others.
    private(set) var position: Position
    /// Events of this model's types so far.
    private(set) var applied = 0

    init(
        _ file: DiscoveryFile, log: EventLog, standings: StandingCache? = nil, findKey: Discovery.KeyFinder? = nil
    ) throws(ReadModelError) {
        (self.file, self.log, self.standings, self.findKey) = (file, log, standings, findKey)
        position = try file.mark().position
        guard let findKey else { return }
        // A builder has no keys. The process that takes over its rows opens the sealed data.
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

    /// The next events that concern the model, and the last event that was read.
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
        // The log of writes still has pages as they were before. Readers may be in the way: then the next one does it.
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
    /// How a generation of the model is followed, and how another one comes into its place.
    struct Exchange: Sendable {
        let box: ModelBox<DiscoveryFile>
        let standings: StandingCache
        let folder: ModelFolder
        let log: EventLog
        let findKey: KeyFinder?

        /// A generation as a ``ModelRunner`` takes it.
        func waiting(_ file: DiscoveryFile) throws(ReadModelError) -> WaitingModel {
            let followed = WaitingModel(
                name: Discovery.name, position: try file.mark().position, reason: file.reason, generation: file.generation,
                follower: { () throws(ReadModelError) -> any ModelFollower in
                    try DiscoveryFollower(file, log: log, standings: standings, findKey: findKey)
                },
                close: { () throws(ReadModelError) in try file.close() })
            return WaitingModel(
                followed, retire: { () throws(ReadModelError) in try file.retire() },
                serve: {
                    box.put(file)
                    // After this, new reads use the new generation, and results from the old one are forgotten.
                    standings.forgetAll()
                },
                exchange: ModelExchange(
                    folder, reads: { $0 == DiscoverySchema.version },
                    open: { (handover) throws(ReadModelError) in try waiting(try open(handover)) },
                    remake: { (lost) throws(ReadModelError) in try waiting(try DiscoveryFile.remake(after: lost, in: folder)) }))
        }

        private func open(_ handover: Handover) throws(ReadModelError) -> DiscoveryFile {
            try ModelExchange.requireSealed(handover, in: folder)
            let file = try DiscoveryFile.goOn(with: handover.generation, in: folder)
            let fits = try file.fits(log)
            try ModelExchange.requireMark(try file.mark(), file.reason == nil && fits, of: handover, in: folder)
            return file
        }
    }
}
