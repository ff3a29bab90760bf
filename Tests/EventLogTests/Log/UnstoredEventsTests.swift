import Testing

@testable import EventLog

/// The events of sealed batches, to which nothing is added any more, can be read from memory until they are in the log.
@Suite struct UnstoredEventsTests {
    /// Stages events from position 1 on, and seals a batch after each event.
    private func sealed(_ count: Int, _ unstored: inout UnstoredEvents) throws {
        for number in 0..<count {
            try unstored.current.append(event(.stamped, card(UInt128(number))))
            _ = unstored.seal()
        }
    }

    private func positions(in unstored: UnstoredEvents) -> [UInt64] { (1...9).filter { unstored.record(at: $0) != nil } }

    @Test("A sealed batch is released only as a whole")
    func aGenerationIsLetGoOnlyAsAWhole() throws {
        var unstored = UnstoredEvents(after: .start)
        try sealed(2, &unstored)
        unstored.forget(through: .start)
        try sealed(2, &unstored)
        unstored.forget(through: Position(1))
        #expect(positions(in: unstored) == [1, 2, 3, 4], "the log has only the first event")
        unstored.forget(through: Position(2))
        #expect(positions(in: unstored) == [3, 4])
        unstored.forget(through: Position(3))
        #expect(positions(in: unstored) == [3, 4])
        unstored.forget(through: Position(4))
        #expect(positions(in: unstored) == [])
    }

    @Test("A staged event is kept whatever the log's head is")
    func whatIsStagedStaysWhateverTheLogHas() throws {
        var unstored = UnstoredEvents(after: Position(3))
        try unstored.current.append(event(.stamped, card(1)))
        for head in 0...3 { unstored.forget(through: Position(UInt64(head))) }
        #expect(positions(in: unstored) == [4])
    }
}
