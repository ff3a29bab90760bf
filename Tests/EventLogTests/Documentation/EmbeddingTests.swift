import EventLog
import Foundation
import Merkle
import Testing

/// Compiles and runs the examples of the documentation's landing page, exactly as the page shows them.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct EmbeddingTests {
    private let now = Timestamp(microseconds: 1_700_000_000_000_000)

    @Test("The first example runs repeatedly in one folder") func firstExample() async throws {
        let folder = try Sandbox().path
        for head in [2, 4, 6] {
            // example begins
            let (defined, subscribed) = (EventType(1), EventType(2))
            let (course, student) = (TagKind(1), TagKind(2))
            let schema = Schema(types: [defined: "Defined", subscribed: "Subscribed"], tagKinds: [course: "course", student: "student"])
            try await EventLog.withWriter(in: folder, schema: schema, created: now) { log, writer in
                try await writer.append([NewEvent(type: defined, time: now, tags: [Tag(course, "c1")], payload: [20])])
                try await writer.decide(on: .tags(Tag(course, "c1"))) { events in
                    let places = events.last { $0.type == defined }?.payload.first ?? 0
                    if events.count(where: { $0.type == subscribed }) >= places { return [] }
                    return [NewEvent(type: subscribed, time: now, tags: [Tag(course, "c1"), Tag(student, "s1")])]
                }
                print(try log.events(matching: .types(subscribed)).count, "subscriptions")
            }
            // example ends
            let log = try EventLog(directory: folder + "/log", index: "", schema: schema, access: .readOnly, created: now)
            #expect(log.head == Position(UInt64(head)))
        }
        try expectShown("EventLog", block: 0)
    }

    @Test("The example of conditions and subscriptions runs") func secondExample() async throws {
        let log = try Sandbox().open()
        let ada = card(0xADA)
        // second example begins
        let writer = LogWriter(log)
        let read = try log.read(.tags(ada))
        if read.events.count < 10 {
            let condition = AppendCondition(failIfEventsMatch: .tags(ada), after: read.head)
            try await writer.append([NewEvent(type: EventType(1), time: now, tags: [ada])], unless: condition)
        }
        for try await sold in try log.subscribe(to: .types(EventType(1)), after: read.head) {
            print("just sold:", sold.position)
            if sold.position == log.head { break }
        }
        await writer.shutDown()
        try log.close()
        // second example ends
        #expect(log.head == Position(1))
        try expectShown("EventLog", block: 1, mark: "second example")
    }

    @Test("The example of an error in a loop runs") func thirdExample() async throws {
        let log = try Sandbox().open()
        let (writer, events) = (LogWriter(log), [event(.opened)])
        // third example begins
        for _ in 1...3 {
            do {
                try await writer.append(events)
            } catch {
                if error.code == .queueFull { continue }
                throw error
            }
        }
        // third example ends
        await writer.shutDown()
        #expect(log.head == Position(3))
        try expectShown("EventLog", block: 2, mark: "third example")
    }

    @Test("The example of one thread runs") func fourthExample() throws {
        let (log, ada) = (try Sandbox().open(), card(0xADA))
        // fourth example begins
        let appender = try log.appender()
        try appender.stage(NewEvent(type: EventType(1), time: now, tags: [ada], payload: Array("oolong".utf8)))
        try appender.commit()
        for sold in try log.events(matching: .tags(ada)) {
            print(sold.position, String(decoding: sold.payload, as: UTF8.self))
        }
        // fourth example ends
        #expect(try log.events(matching: .tags(ada)).map(\.payload) == [Array("oolong".utf8)])
        try expectShown("EventLog", block: 3, mark: "fourth example")
    }

    @Test("The example of a receipt runs") func fifthExample() async throws {
        let (log, folder, seed) = (try Sandbox().open(), try Sandbox().path, Signed.seed)
        try await log.withWriter { try await $0.append([event(.opened), event(.stamped)]) }
        let position = Position(1)
        // fifth example begins
        let keeper = try CheckpointKeeper(log: log, path: folder + "/checkpoint", seed: seed)
        let receipt = try keeper.receipt(of: position)
        try receipt.verify(receipt.extra ?? [], by: TrustPolicy(keeper.verifierKey))
        try await keeper.shutDown()
        // fifth example ends
        #expect(try receipt.extra == log.recordBytes(at: position))
        try expectShown("EventLog", block: 4, mark: "fifth example")
    }

    @Test("The example of a test's log runs") func sixthExample() async throws {
        let (schema, events) = (Schema.forTests, [event(.opened)])
        // sixth example begins
        let log = try EventLog.temporary(schema: schema, in: "/dev/shm")
        try await log.withWriter { try await $0.append(events) }
        try log.close()
        // sixth example ends
        #expect(log.head == Position(1))
        try expectShown("EventLog", block: 5, mark: "sixth example")
    }

    @Test("Every example of the pages is run by a test") func everyExample() throws {
        #expect(try blocks("EventLog").count == 6)
        #expect(try blocks("DCBExamples").count == 5)
    }
}
