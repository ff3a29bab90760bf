import EventLog
import Patience
import Synchronization
import Testing

/// Tests the start and the end of a writer. Only one writer of a log may append, and other writers get errors.
@Suite(.temporaryFolder, .timeLimit(.minutes(15))) struct LogWriterLifetimeTests {
    private func error(_ body: () async throws -> Void) async -> EventLogError? {
        do { try await body() } catch { return error as? EventLogError }
        return nil
    }

    @Test("If the log's appender is in use, every append through a writer fails with that error") func takenAppender() async throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        let writer = LogWriter(log)
        for _ in 0..<3 {
            #expect(await error { try await writer.append([event(.opened)]) }?.code == .appenderTaken)
            #expect(await error { try await writer.decide(on: .all) { _ in [event(.opened)] } }?.code == .appenderTaken)
        }
        await writer.shutDown()
        #expect(appender.head == .start)
    }

    @Test("If the log is open for reading only, an append through a writer fails with that error") func readOnly() async throws {
        let sandbox = try Sandbox()
        try sandbox.append([event(.opened)])
        let writer = LogWriter(try sandbox.open(.readOnly))
        #expect(await error { try await writer.append([event(.opened)]) }?.code == .readOnly)
    }

    @Test("A released appender permits the next writer") func releasedAppender() async throws {
        let log = try Sandbox().open(options: .tiny(flush: 2))
        do {
            let appender = try log.appender()
            try appender.stage([event(.opened, card(1)), event(.stamped, card(1)), event(.closed, card(1))])
            try appender.commit()
        }
        for number in UInt64(0)..<4 {
            try await log.withWriter { writer in
                let positions = try await writer.append([event(.stamped, card(1))])
                #expect(positions == Position(4 + number)...Position(4 + number))
            }
        }
        #expect(try log.positions(matching: .tags(card(1))).map(\.rawValue) == [1, 2, 3, 4, 5, 6, 7])
    }

    /// The index already contains the staged events, under positions that another appender would assign again.
    @Test("After an appender with staged events is released, the log gives no other appender") func releasedWithStagedEvents() throws {
        let log = try Sandbox().open()
        try log.appender().stage(event(.opened, card(1)))
        let error = #expect(throws: EventLogError.self) { try log.appender() }
        #expect(error?.code == .appenderTaken)
    }

    @Test("A stop waits for accepted appends, and releases the log") func stopFinishes() async throws {
        let sandbox = try Sandbox()
        for round in 0..<5 {
            let log = try sandbox.open()
            let writer = LogWriter(log)
            async let last = writer.append([event(.opened, card(1))])
            #expect(try await last.upperBound == Position(UInt64(round + 1)))
            await writer.shutDown()
            await writer.shutDown()
            #expect(await error { try await writer.append([event(.opened)]) }?.code == .writerStopped)
            #expect(await error { try await writer.decide(on: .all) { _ in [event(.opened)] } }?.code == .writerStopped)
            try log.close()
        }
    }

    @Test("A writer that is released without a stop releases the appender") func releasedWriter() async throws {
        let log = try Sandbox().open()
        for round in 0..<5 {
            let position = try await LogWriter(log).append([event(.opened)]).upperBound
            #expect(position == Position(UInt64(round + 1)))
            try await eventually("the appender is free") { (try? log.appender()) != nil }
        }
    }

    @Test("A writer that is released without a stop releases the log") func releasedWriterReturnsLog() async throws {
        let sandbox = try Sandbox()
        for _ in 0..<5 {
            try await eventually("the folder is free") {
                guard let log = try? sandbox.open() else { return false }
                _ = LogWriter(log)
                return true
            }
        }
    }

    @Test("If the closure throws, the writer is stopped and the error is passed on") func failedScope() async throws {
        struct Broken: Error {}
        let log = try Sandbox().open()
        await #expect(throws: Broken.self) {
            try await log.withWriter { writer in
                try await writer.append([event(.opened)])
                throw Broken()
            }
        }
        #expect(try log.appender().head == Position(1))
    }

    @Test("A folder can be opened again after each scope") func foldersOpenAgain() async throws {
        let folder = try Sandbox().path
        for round in 1...3 {
            let head = try await EventLog.withWriter(in: folder, schema: .forTests, created: Timestamp(microseconds: 1)) { log, writer in
                try await writer.append([event(.opened)])
                return log.head
            }
            #expect(head == Position(UInt64(round)))
        }
    }

    @Test("If the closure throws, the log is closed, even if the closure has kept the log") func failedFolderScope() async throws {
        struct Broken: Error {}
        let (folder, kept) = (try Sandbox().path, Shared<EventLog?>(nil))
        await #expect(throws: Broken.self) {
            try await EventLog.withWriter(in: folder, schema: .forTests, created: Timestamp(microseconds: 1)) { log, writer in
                kept.value = log
                try await writer.append([event(.opened)])
                throw Broken()
            }
        }
        let error = #expect(throws: EventLogError.self) { _ = try kept.value?.appender() }
        #expect(error?.code == .closed && kept.value?.head == Position(1))
    }

    @Test("An append to a closed log fails with the error for a closed log") func closedLog() async throws {
        let log = try Sandbox().open()
        let writer = LogWriter(log)
        try await writer.append([event(.opened, card(1))])
        try log.close()
        #expect(await error { try await writer.append([event(.opened, card(1))]) }?.code == .closed)
        await writer.shutDown()
        #expect(await error { try await LogWriter(log).append([event(.opened)]) }?.code == .closed)
        #expect(try log.head == Position(1) && log.events(matching: .tags(card(1))).count == 1)
    }

    @Test("An appender of a closed log stages and commits nothing") func closedAppender() throws {
        let log = try Sandbox().open()
        let appender = try log.appender()
        try appender.stage(event(.opened))
        try log.close()
        for step in [{ _ = try appender.stage(event(.opened)) }, { _ = try appender.commit() }] {
            let error = #expect(throws: EventLogError.self) { try step() }
            #expect(error?.code == .closed)
        }
        #expect(log.head == .start)
    }

    @Test("After a failed commit every caller gets the failure") func failedCommit() async throws {
        let durability = FaultyDurability()
        var options = EventLog.Options()
        options.durability = durability
        let log = try Sandbox().open(options: options)
        let writer = LogWriter(log)
        durability.failNext(.lost)
        for _ in 0..<2 {
            let error = await error { try await writer.append([event(.opened)]) }
            #expect(error?.code == .stopped && error?.detail.contains("injected") == true)
        }
        await writer.shutDown()
    }
}
