import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import Testing
import World

@testable import Audit
@testable import PastStates
@testable import ReadModels

/// The difference between the models' states at two moments, checked against both states.
@Suite struct ModelsDiffTests {
    @Test("A position compared with itself shows no changes")
    func samePosition() throws {
        let sample = try TravelSample("no difference", every: 0)
        for position in sample.positions() {
            let diff = try ModelsDiff(of: sample.log, from: position, to: position, limit: 0)
            #expect(diff.tables.allSatisfy { $0.isEmpty && $0.lines.isEmpty && $0.jsonLines.isEmpty })
        }
    }

    @Test(
        "The changes between two positions turn the first state into the second, forwards and backwards",
        arguments: [(0, 600), (1, 2), (250, 251), (300, 600), (600, 120)])
    func appliedDiff(_ from: UInt64, _ to: UInt64) throws {
        let sample = try TravelSample("difference", every: 0)
        let diff = try ModelsDiff(of: sample.log, from: Position(from), to: Position(to), limit: 0)
        #expect(Set(diff.tables.map(\.model)) == Set(ReadModels.names))
        for table in diff.tables {
            var rows = try Self.rows(table, sample, from)
            for change in table.changes {
                #expect(rows[change.key] == change.before)
                rows[change.key] = change.after
            }
            #expect(try rows == Self.rows(table, sample, to), "\(table.model) \(table.table.name)")
            #expect(table.changes.count == table.added + table.removed + table.changed)
            #expect(table.added == table.changes.count { $0.before == nil } && table.removed == table.changes.count { $0.after == nil })
        }
    }

    private static func rows(_ diff: TableDiff, _ sample: TravelSample, _ position: UInt64) throws -> [[UInt8]: [UInt8]] {
        let replay = try Replay(of: sample.log, until: .position(Position(position)), models: [diff.model])
        guard let table = replay.tables(of: diff.model).first(where: { $0.name == diff.table.name }) else { throw TravelFailure() }
        var (rows, row) = ([[UInt8]: [UInt8]](), CanonicalRow())
        for index in 0..<table.count {
            table.row(index, into: &row)
            rows[row.key.array] = row.value
        }
        return rows
    }

    /// If the data folder is read-only, the temporary files, which hold the earlier state, are created in another folder.
    @Test("A comparison leaves no temporary file in the data folder, and needs no permission to write there", arguments: [true, false])
    func nothingIsLeftBehind(_ isWritable: Bool) throws {
        let sample = try TravelSample("difference in files", every: 0)
        let scratch = sample.data.derived + "/audit"
        if !isWritable {
            try FileManager.default.createDirectory(atPath: sample.data.derived, withIntermediateDirectories: true)
            try Data().write(to: URL(fileURLWithPath: scratch))
        }
        var last = 0
        let diff = try ModelsDiff(of: sample.log, from: Position(200), to: Position(600), limit: 0, in: sample.folder) { events in
            #expect(events >= last)
            last = events
        }
        #expect(last == ModelsDiff.events(from: Position(200), to: Position(600)))
        let elsewhere = try ModelsDiff(of: sample.log, from: Position(200), to: Position(600), limit: 0)
        #expect(zip(diff.tables, elsewhere.tables).allSatisfy { $0.changes == $1.changes } && diff.tables.contains { !$0.isEmpty })
        if isWritable { #expect(try FileManager.default.contentsOfDirectory(atPath: scratch).isEmpty) }
    }

    @Test("A limit shortens the list of changes and keeps their counts")
    func aLimitKeepsTheCounts() throws {
        let sample = try TravelSample("limited difference", every: 0)
        let all = try ModelsDiff(of: sample.log, from: Position(100), to: Position(600), limit: 0)
        let few = try ModelsDiff(of: sample.log, from: Position(100), to: Position(600), limit: 2)
        for (all, few) in zip(all.tables, few.tables) {
            #expect((few.added, few.removed, few.changed) == (all.added, all.removed, all.changed))
            #expect(few.changes == Array(all.changes.prefix(2)))
        }
        let lines: [String] = few.tables.flatMap(\.lines)
        #expect(lines.contains { $0.hasSuffix(" more") })
    }

    @Test("A comparison shows a card at both moments and lists the events in between")
    func comparedCard() throws {
        let sample = try TravelSample("compared card")
        let card = try #require(sample.history.world.cards.values.max { $0.history.count < $1.history.count })
        let positions = card.history.map(\.position)
        let travel = Travel(in: sample.folder, log: sample.log)
        let from = try travel.moment(.position(Position(positions[0])))
        let to = try travel.moment(.position(Position(positions[positions.count - 1])))
        let comparison = PastComparison(from: try travel.answer(.card(card.id), at: from), to: try travel.answer(.card(card.id), at: to))
        #expect(comparison.lines.contains { $0.contains("stamps") && $0.contains("0  →  \(card.stamps)") }, "\(comparison.lines)")
        #expect(comparison.lines.contains { $0.contains("history") && $0.contains("1  →  \(positions.count)") })
        var between: [String] = []
        try travel.events(of: .card(card.id), after: from, through: to) { text, _ in between.append(text) }
        #expect(between.map { $0.prefix { $0 != " " } } == positions.dropFirst().map { "\($0)" })
        let same = PastComparison(from: try travel.answer(.card(card.id), at: to), to: try travel.answer(.card(card.id), at: to))
        #expect(!same.lines.dropFirst().contains { $0.contains("→") })
    }
}
