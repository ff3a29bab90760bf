import EventLog
import LMDB
import Testing

/// When the index cannot be stored, the log stays right and the writer stops before memory grows without bounds.
@Suite(.temporaryFolder) struct IndexFailureTests {
    /// Appends until the flusher has run into the end of a tiny map.
    private func appendUntilRefused(_ appender: Appender) -> EventLogError? {
        do throws(EventLogError) {
            for number in 0..<200_000 {
                try appender.stage(event(.stamped, card(UInt128(number)), shop(UInt128(number / 3))))
                if number % 50 == 49 { try appender.commit() }
            }
            return nil
        } catch { return error }
    }

    @Test func aFullIndexStopsTheWriterAndLosesNothing() throws {
        let sandbox = try Sandbox()
        var options = EventLog.Options.tiny(flush: 100, stall: 200)
        options.indexMapBytesMax = 1 << 18
        let head: Position
        do {
            let log = try sandbox.open(options: options)
            let appender = try log.appender()
            let error = appendUntilRefused(appender)
            #expect(error?.code == .storage && error?.storage?.code == .mapFull)
            #expect(throws: EventLogError.self) { try appender.commit() }
            head = log.head
            #expect(head > Position(100))
            // What memory could not give away it still answers.
            for number in 0..<head.rawValue { #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number + 1)) }
            try log.close()
        }
        let log = try sandbox.open()
        #expect(log.head == head)
        for number in 0..<head.rawValue { #expect(try log.lastPosition(of: card(UInt128(number))) == Position(number + 1)) }
    }
}
