import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec
import Patience
import Synchronization
import Testing

/// Many commands share few flushes, and a refused command does not affect the others.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct GroupCommitTests {
    @Test("Commands that arrive during a flush share the next flushes")
    func sharedFlush() async throws {
        let durability = StagedDurability()
        let site = try Site(durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        let before = durability.batches.count
        durability.shut()
        let first = Task { [service = site.service] in try await shop.code(on: service) }
        try await durability.writerArrived()
        let rest = Task { [service = site.service] in try await concurrently(500) { _ in try await shop.code(on: service) } }
        try await eventually("all commands wait in the queue") { site.service.queueDepth == 500 }
        durability.open()
        _ = try await first.valueInTime()
        #expect(Set(try await rest.valueInTime()).count == 500)
        // The first command is flushed alone. The commands that arrive during this flush share the next flushes.
        let batches = durability.batches.dropFirst(before)
        #expect(batches.first == 1 && batches.reduce(0, +) == 501 && batches.count < 10, "\(batches)")
    }

    @Test("Commands beyond the limit of a batch take another flush")
    func overLimit() async throws {
        let durability = StagedDurability()
        let site = try Site(durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        let before = durability.batches.count
        durability.shut()
        let first = Task { [service = site.service] in try await shop.code(on: service) }
        try await durability.writerArrived()
        let count = LogLimits.batchRequestsMax + 10
        let rest = Task { [service = site.service] in try await concurrently(count) { _ in try await shop.code(on: service) } }
        try await eventually("all commands wait in the queue") { site.service.queueDepth == count }
        durability.open()
        _ = (try await first.valueInTime(), try await rest.valueInTime())
        let batches = durability.batches.dropFirst(before)
        #expect(batches.first == 1 && batches.reduce(0, +) == 1 + count && batches.count > 2, "\(batches)")
        #expect(batches.allSatisfy { $0 <= LogLimits.batchRequestsMax })
    }

    @Test("A batch of rejected commands needs no flush")
    func onlyRejections() async throws {
        let durability = StagedDurability()
        let site = try Site(durability: durability)
        let guest = try await customer(1, on: site.service)
        let before = durability.batches.count
        let outcomes = try await concurrently(50) { [service = site.service] _ in
            await outcome(of: try await service.submit(.discardCard(DiscardCard(card: CardID(7))), by: guest))
        }
        #expect(outcomes.allSatisfy { $0 == .failure(.rejected(.notFound)) })
        #expect(durability.batches.count == before)
    }

    @Test("If another process could write the log, a rejection waits for a confirmation that none has")
    func confirmedRejection() async throws {
        let durability = CountedConfirmations()
        let site = try Site(durability: durability)
        let guest = try await customer(1, on: site.service)
        let before = durability.count
        let answer = await outcome(of: try await site.service.submit(.discardCard(DiscardCard(card: CardID(7))), by: guest))
        #expect(answer == .failure(.rejected(.notFound)))
        #expect(durability.count == before + 1)
    }

    /// Commits locally, but calls for confirmations like a log that several machines share.
    private final class CountedConfirmations: BatchDurability {
        private let confirmations = Atomic<Int>(0)
        var count: Int { confirmations.load(ordering: .relaxed) }
        var isShared: Bool { true }

        func makeDurable(
            _ batch: EncodedBatch, commitLocally: (EncodedBatch) throws(EventLogError) -> Void
        ) throws(EventLogError) { try commitLocally(batch) }

        func confirm() throws(EventLogError) { confirmations.add(1, ordering: .relaxed) }
    }

    /// The batch has good commands, rejected commands, and commands whose decision reads a damaged event.
    @Test("A rejection or failure of one command in a batch reaches only its own sender")
    func ownSender() async throws {
        let durability = StagedDurability()
        let site = try Site()
        try site.close()
        try Self.storeDamagedCode(in: site)
        try site.open(durability: durability)
        let shop = try await TeaShop.open(on: site.service)
        let codes = try await concurrently(60) { [service = site.service] _ in try await shop.code(on: service) }
        let guests = try await concurrently(60) { [service = site.service] in try await customer($0, on: service) }
        let before = durability.batches.count
        durability.shut()
        let opening = Task { [service = site.service] in try await shop.code(on: service) }
        try await durability.writerArrived()
        let task = Task { [service = site.service] in
            try await concurrently(60) { number in
                await outcome(of: try await Self.submit(number, code: codes[number], by: guests[number], at: shop, on: service))
            }
        }
        try await eventually("all commands wait in the queue") { site.service.queueDepth == 60 }
        durability.open()
        _ = try await opening.valueInTime()
        let outcomes = try await task.valueInTime()
        for (number, outcome) in outcomes.enumerated() { #expect(Self.isAsExpected(outcome, number), "\(number): \(outcome)") }
        let batches = durability.batches.dropFirst(before)
        #expect(batches.first == 1 && batches.reduce(0, +) == 81, "40 stamps, each with the card that it opens: \(batches)")
        for guest in guests.dropFirst(2).prefix(4) {
            #expect(try site.service.past.collectingCard(of: guest.account, in: shop.campaign) != nil)
        }
    }

    private static func submit(
        _ number: Int, code: TypedCode, by guest: Caller, at shop: TeaShop, on service: GreenTea
    ) async throws(ServiceError) -> Acceptance {
        switch number % 6 {
        case 0: return try await service.submit(.discardCard(DiscardCard(card: CardID(7))), by: guest)
        case 1: return try await service.stamp(Self.damagedCode, by: guest)
        default: return try await service.stamp(code, by: guest)
        }
    }

    private static func isAsExpected(_ outcome: Result<Acceptance, ServiceError>, _ number: Int) -> Bool {
        switch (number % 6, outcome) {
        case (0, .failure(.rejected(.notFound))), (2..., .success): true
        case (1, .failure(.failed(let reason))): reason.contains("event 1")
        default: false
        }
    }

    private static let damagedCode = TypedCode(typed: "K7QF-2M9X")!

    /// Stores an event that no rule or codec would write: an issued code without any of its fields.
    private static func storeDamagedCode(in site: Site) throws {
        let data = DataFolder(site.folder.path)
        let log = try EventLog(
            directory: data.log, index: data.index, schema: LoyaltySchema.schema, access: .readWrite, created: Timestamp(microseconds: 0))
        let secret = Keys(try MasterSecret(bytes: Site.secret)).secret(ofStampCode: damagedCode)
        let appender = try log.appender()
        try appender.stage(
            NewEvent(
                type: .codeIssued, time: Timestamp(microseconds: 0), tags: [Tag(kind: .codeSecret, value: secret.value)], payload: [255]))
        try appender.commit()
        try log.close()
    }
}
