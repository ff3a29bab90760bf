import EventLog
import Foundation
import LMDB
import Seeds
import Testing

/// An index of an older format is removed and rebuilt from the log automatically.
@Suite(.temporaryFolder) struct IndexFormatTests {
    @Test("An index of the former format is replaced")
    func anIndexInLMDBGivesWayToOneOfFiles() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 12))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(80))
        try sandbox.append(oracle.events)
        try sandbox.deleteIndex()
        try writeFormerFormat(in: sandbox.index)
        try expectAnswers(of: sandbox, oracle, &history)
        let names = try FileManager.default.contentsOfDirectory(atPath: sandbox.index)
        #expect(names.allSatisfy { $0 == "manifest" || $0 == "writer.lock" || $0.hasPrefix("run-") }, "\(names)")
    }

    /// The index's manifest claims to cover all events, but the files of its runs are missing.
    @Test("An index whose runs are missing is made again")
    func anIndexWithoutItsRunsIsMadeAgain() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 13))
        let sandbox = try Sandbox()
        let oracle = Oracle(events: history.events(80))
        try sandbox.append(oracle.events)
        for name in try FileManager.default.contentsOfDirectory(atPath: sandbox.index) where name.hasPrefix("run-") {
            try FileManager.default.removeItem(atPath: sandbox.index + "/" + name)
        }
        try expectAnswers(of: sandbox, oracle, &history)
    }

    private func expectAnswers(of sandbox: Sandbox, _ oracle: Oracle, _ history: inout RandomHistory) throws {
        let log = try sandbox.open(options: .tiny(flush: 10))
        for _ in 0..<40 {
            let query = history.query()
            #expect(try log.positions(matching: query) == oracle.positions(query, after: 0, through: .max, backwards: false, limit: .max))
        }
        try log.close()
    }

    private func writeFormerFormat(in directory: String) throws {
        let derived = try DerivedEnvironment(directory: directory)
        _ = try derived.environment.table("runs", .integer)
        try derived.close()
    }
}
