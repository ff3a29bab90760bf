internal import EventLog
internal import GRDB
internal import Loyalty
internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Applies the log's events to the search model, in one transaction for each collected group.
///
/// Other events cost no write, so a crash makes that part of the log be read again. SQLite's pool cannot be closed while it has readers, so
/// after a switch it is only released.
struct DiscoveryFollower: ModelFollower {
    private let file: DiscoveryFile
    private let log: EventLog
    /// The cache from which changed entries are dropped; nil in a builder, which has no readers.
    private let standings: StandingCache?
    /// Nil leaves sealed data in the rows until a process with the keys opens it.
    private let findKey: Discovery.KeyFinder?
    private let wanted = TypeFilter(Discovery.eventTypes)

    /// Every event up to here is stored or does not concern the model.
    private(set) var position: Position
    private(set) var applied = 0

    init(
        _ file: DiscoveryFile, log: EventLog, standings: StandingCache? = nil, findKey: Discovery.KeyFinder? = nil
    ) throws(ReadModelError) {
        (self.file, self.log, self.standings, self.findKey) = (file, log, standings, findKey)
        position = try file.mark().position
        guard let findKey else { return }
        // A builder has no keys, so this process opens the sealed data of its rows.
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

    func settle() throws(ReadModelError) {
        do {
            guard let mark = try ModelMark(position, in: log) else { return }
            try file.pool.write { try $0.put(mark) }
        } catch {
            throw ReadModelError(discovery: error)
        }
    }

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
        // The write-ahead log still contains erased data, so it is emptied. If readers prevent that, the next erasure or the closing
        // retries.
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
    struct Exchange: Sendable {
        let box: ModelBox<DiscoveryFile>
        let standings: StandingCache
        let folder: ModelFolder
        let log: EventLog
        let findKey: KeyFinder?

        func waiting(_ file: DiscoveryFile) throws(ReadModelError) -> WaitingModel {
            WaitingModel(
                name: Discovery.name, position: try file.mark().position, reason: file.reason, generation: file.generation,
                follower: { () throws(ReadModelError) -> any ModelFollower in
                    try DiscoveryFollower(file, log: log, standings: standings, findKey: findKey)
                },
                close: { () throws(ReadModelError) in try file.closeBesideReaders() },
                retire: { () throws(ReadModelError) in try file.retire() },
                serve: {
                    box.put(file)
                    // New reads use the new generation from here on.
                    standings.forgetAll()
                },
                exchange: ModelExchange(
                    folder, reads: { $0 == DiscoverySchema.version },
                    open: { (handover, isStopping) throws(ReadModelError) in
                        try waiting(try DiscoveryFile.open(handover, in: folder, log: log, unless: isStopping))
                    },
                    remake: { (lost) throws(ReadModelError) in
                        try waiting(try DiscoveryFile.fresh(.missing, version: DiscoverySchema.version, in: folder, after: lost))
                    }),
                replaced: file.replaced, health: file.health)
        }
    }
}
