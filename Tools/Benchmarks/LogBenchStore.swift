import EventLog

/// A log under the load of the stores' comparison: conditional appends of 256-byte payloads with a unique tag and one of 1,000 shops.
struct LogBenchStore: Sendable {
    private static let happened = EventType(1)
    private static let shop = TagKind(1)
    private static let unique = TagKind(2)
    private static let shops = 1_000
    private static let schema = Schema(
        types: [happened: "Happened"], tagKinds: [shop: TagKindRule(name: "shop"), unique: TagKindRule(name: "unique")])

    let shape: AppendShape
    let log: EventLog
    private let writer: LogWriter
    private let payload = [UInt8](repeating: 7, count: LogBench.payloadBytes)

    init(in folder: String, _ shape: AppendShape, by durability: any BatchDurability = LocalCommit()) throws {
        self.shape = shape
        log = try Self.log(in: folder, by: durability)
        writer = LogWriter(log)
    }

    /// A new log of the same events.
    static func log(in folder: String, by durability: any BatchDurability = LocalCommit()) throws -> EventLog {
        var options = EventLog.Options()
        options.durability = durability
        return try EventLog(
            directory: folder + "/log", index: folder + "/index", schema: schema, access: .readWrite, created: Timestamp(microseconds: 0),
            options: options)
    }

    /// Unique for the writer's `number`th append, and random like an identifier.
    private func tag(_ lane: Int, _ number: Int) -> Tag { Tag(Self.unique, scattered(UInt64(lane) << 40 | UInt64(number), 1)) }

    /// The append's condition is that the log has no event with its tag.
    func append(_ lane: Int, _ number: Int) async throws(EventLogError) {
        let tag = tag(lane, number)
        let event = NewEvent(
            type: Self.happened, time: Timestamp(microseconds: Int64(number)),
            tags: [tag, Tag(Self.shop, UInt128((lane + number) % Self.shops))], payload: payload)
        let condition = AppendCondition(failIfEventsMatch: .tag(tag, types: Self.happened))
        try await writer.append([NewEvent](repeating: event, count: shape.events), unless: condition)
    }

    /// Reads the events of one append, and throws if one is missing.
    func read(_ lane: Int, _ number: Int) throws {
        let found = try log.read(.tag(tag(lane, number), types: Self.happened)).events
        guard found.count == shape.events, found[0].event.payload.count == payload.count else { throw BenchError.unexpected }
    }

    /// Requires the appended number of events, and that the first append is refused again.
    func check(_ appended: Lanes) async throws {
        guard await isRefused(0, 0) else { throw BenchError.unexpected }
        let events = appended.count * shape.events
        guard log.head.rawValue == UInt64(events), try scan() == events else { throw BenchError.unexpected }
    }

    private func isRefused(_ lane: Int, _ number: Int) async -> Bool {
        do throws(EventLogError) {
            try await append(lane, number)
            return false
        } catch {
            return error.code == .conditionFailed
        }
    }

    /// Reads every byte in place. Returns the number of events.
    func scan() throws -> Int {
        var (count, sum) = (0, UInt64(0))
        try log.scan { _, record in
            sum &+= RawScan.sum(of: record.bytes)
            count += 1
            return true
        }
        guard sum != 0 else { throw BenchError.unexpected }
        return count
    }

    /// Copies each event, page by page. Returns the number of events.
    func readAll() throws -> Int {
        var (count, after) = (0, Position.start)
        while true {
            let page = try log.read(.all, after: after, limit: LogLimits.subscriptionPageEventsMax).events
            guard let last = page.last else { return count }
            count += page.count
            after = last.position
        }
    }

    /// Blocks until the writer's threads have ended.
    func close() throws {
        writer.stop()
        try log.close()
    }
}

func close(_ store: LogBenchStore) throws { try store.close() }
