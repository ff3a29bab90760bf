import EventLog
import Seeds
import Testing

extension Oracle {
    /// Sends random queries, independent of the stored events, to a source, and compares the answers with the results of scanning the array
    /// of events.
    func expectAnswers(of source: some EventSource, _ history: inout RandomHistory, _ seed: UInt64) throws {
        let head = UInt64(events.count)
        #expect(source.head.rawValue == head)
        for _ in 0..<3 {
            let query = history.query()
            let after = UInt64(history.generator.int(0...Int(head)))
            let through = UInt64(history.generator.int(0...Int(head) + 2))
            let backwards = history.generator.oneIn(2)
            let limit = history.generator.pick([0, 1, 2, 5, 1000])
            let found = try source.positions(
                matching: query, after: Position(after), through: Position(through), backwards: backwards, limit: limit)
            let expected = positions(query, after: after, through: through, backwards: backwards, limit: limit)
            #expect(found == expected, "seed \(seed): \(query) after \(after) through \(through) \(backwards) \(limit)")
        }
        let (tag, type) = (history.tag(), history.generator.pick(RandomHistory.types))
        for type in [nil, type] {
            let query = Query.items([QueryItem(types: type.map { [$0] } ?? [], tags: [tag])])
            let expected = positions(query, after: 0, through: head, backwards: true, limit: 1).first
            #expect(try source.lastPosition(of: tag, type: type) == expected, "seed \(seed): \(tag) \(String(describing: type))")
        }
    }
}
