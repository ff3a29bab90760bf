import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import ReadModels
import Seeds
import World

@testable import Audit
@testable import PastStates

/// A random history in a data folder, with snapshots and with an index that ends before the log does.
struct TravelSample {
    let history: RandomHistory
    let data: TestData
    let folder: AuditedFolder
    let log: EventLog

    /// - Parameters:
    ///   - every: the number of events between snapshots; 0 for no snapshots.
    ///   - indexed: the number of facts in the index on disk.
    ///   - customers: the number of customers; with few customers, each rates repeatedly.
    init(_ name: String, count: Int = 600, every: UInt64 = 150, indexed: Int = 400, customers: Int = 24) throws {
        var history = RandomHistory(random: SeededRandom.announced(name), customers: customers, milestones: true, joins: true, teams: true)
        history.grow(to: count)
        self.history = history
        data = try TestData.with(history.facts.prefix(indexed))
        try FileManager.default.copyItem(atPath: data.derived + "/index", toPath: data.path + "/index.before")
        try data.append(history.facts.dropFirst(indexed))
        try FileManager.default.removeItem(atPath: data.derived + "/index")
        try FileManager.default.moveItem(atPath: data.path + "/index.before", toPath: data.derived + "/index")
        folder = try AuditedFolder(data.path)
        log = try folder.log(.readOnly)
        if every > 0 { _ = try SnapshotKeeping(of: folder, log: log).make(every: every) }
    }

    /// Returns the world after the first `position` facts.
    func world(_ position: Position) -> World { World(history.facts.prefix(Int(position.rawValue))) }

    /// Returns both ends of the log, the first snapshot's position and its neighbours, another snapshot's position, and random positions.
    func positions() -> [Position] {
        var random = SeededRandom(seed: history.facts.last.map { UInt64(bitPattern: $0.time.microseconds) } ?? 1)
        let count = UInt64(history.facts.count)
        let chosen = (0..<6).map { _ in UInt64.random(in: 1...count, using: &random) }
        return ([0, 1, 149, 150, 151, 450, count] + chosen).map { Position($0) }
    }

    /// Returns the answer to a question, computed with and without snapshots and with and without the index.
    ///
    /// - Returns: nil if these four answers differ in any byte.
    func answer(_ subject: PastSubject, at position: Position) throws -> PastAnswer? {
        let answers = try [(true, true), (true, false), (false, true), (false, false)].map { snapshots, index in
            // The four answers are computed one after another, because a process can open the index only once.
            let travel = Travel(in: folder, log: log, usingSnapshots: snapshots, usingIndex: index)
            return try travel.answer(subject, at: try travel.moment(.position(position)))
        }
        return Set(answers.map { $0.lines + $0.jsonLines }).count == 1 ? answers[0] : nil
    }

    static func days(_ zone: String = "UTC") -> PastDays? { ReportZone(name: zone).flatMap { PastDays(from: nil, to: nil, zone: $0) } }
}

extension TestData {
    /// Appends facts to the log and closes it.
    func append(_ facts: some Collection<Fact>) throws {
        let log = try log()
        try log.append(facts, with: try log.appender())
        try log.close()
    }

    var snapshots: String { derived + "/snapshots" }
}

extension PastAnswer {
    /// Returns a field of the answer's only row.
    func field(_ name: String) -> PastValue? { rows.first?.first { $0.name == name }?.value }
}
