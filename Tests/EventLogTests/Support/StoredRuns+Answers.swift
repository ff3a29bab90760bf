import Seeds
import Testing

import struct EventLog.Tag

@testable import EventLog

extension StoredRuns {
    /// Makes random queries, independent of the stored events, and compares the answers with the results of scanning the array of events.
    func expectAnswers(_ history: inout RandomHistory, _ seed: UInt64, _ comment: Comment? = nil) throws {
        let all = UInt64(oracle.events.count)
        for _ in 0..<4 {
            let tag = history.generator.oneIn(3) ? shop(1) : history.tag()
            let types = (0..<history.generator.pick([0, 0, 1, 1, 2, 3])).map { _ in history.generator.pick(RandomHistory.types) }
            let (after, through) = (history.generator.int(0...Int(all)), history.generator.int(0...Int(all) + 2))
            let (backwards, limit) = (history.generator.oneIn(2), history.generator.pick([1, 2, 7, 1_000, .max]))
            let range = PositionRange(first: UInt64(after) + 1, last: UInt64(through), backwards: backwards, limit: limit)
            let (found, wanted) = (try store.page(tag, types: types, in: range), expected(tag, types, range))
            #expect(found == wanted, "seed \(seed): \(tag) \(types) \(range)")
            try expectNewestAndCount(tag, types, through: UInt64(through), limit, seed)
        }
    }

    private func expectNewestAndCount(
        _ tag: Tag, _ types: [EventType], through last: UInt64, _ enough: Int, _ seed: UInt64
    ) throws {
        let before = PositionRange(first: 1, last: last, backwards: true, limit: 1)
        for type in [nil, types.first] {
            let newest = try store.newest(of: tag, type: type, through: last)
            #expect(newest == expected(tag, type.map { [$0] } ?? [], before).first, "seed \(seed): newest of \(tag) through \(last)")
        }
        let exact = expected(tag, types, PositionRange(first: 1, last: .max - 1, backwards: false, limit: .max)).count
        #expect(try store.count(of: tag, types: types, enough: .max) == exact, "seed \(seed): count of \(tag) \(types)")
        let rough = try store.count(of: tag, types: types, enough: enough)
        #expect(rough == exact || rough > enough && rough <= exact, "seed \(seed): \(rough) of \(exact)")
    }

    private func expected(_ tag: Tag, _ types: [EventType], _ range: PositionRange) -> [UInt64] {
        let query = Query.items([QueryItem(types: types, tags: [tag])])
        let found = oracle.positions(
            query, after: range.first - 1, through: range.last, backwards: range.backwards, limit: range.limit)
        return found.map(\.rawValue)
    }

    /// Checks that every file belongs to a run of the manifest, that no run's file is missing, and that no level has so many runs that they
    /// should be merged.
    func expectTidy(factor: Int, _ comment: Comment? = nil) throws {
        #expect(try files() == keeper.runs.map { "run-\($0.number)" }.sorted(), comment)
        #expect(RunManifest(in: path)?.runs == keeper.runs, comment)
        let levels = Dictionary(grouping: keeper.runs, by: \.level).mapValues(\.count)
        #expect(levels.values.allSatisfy { $0 < factor }, "runs of levels: \(levels)")
    }
}
