import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import ReadModels
import Seeds

@testable import Audit
@testable import PastStates

/// A random history in a data folder, with snapshots, and an index that ends before the log does.
struct TravelSample {
    let history: RandomHistory
    let data: TestData
    let folder: AuditedFolder
    let log: EventLog

    /// - Parameters:
    ///   - every: events between snapshots; 0 for none.
    ///   - indexed: facts in the index on disk.
    ///   - customers: few of them rate again and again.
    init(_ name: String, count: Int = 600, every: UInt64 = 150, indexed: Int = 400, customers: Int = 24) throws {
        var history = RandomHistory(random: SeededRandom.announced(name), customers: customers)
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

    /// The world after so many facts.
    func world(_ position: Position) -> World { World(history.facts.prefix(Int(position.rawValue))) }

    /// Some positions, both ends and what lies around snapshots among them.
    func positions() -> [Position] {
        var random = SeededRandom(seed: history.facts.last.map { UInt64(bitPattern: $0.time.microseconds) } ?? 1)
        let count = UInt64(history.facts.count)
        let chosen = (0..<6).map { _ in UInt64.random(in: 1...count, using: &random) }
        return ([0, 1, 149, 150, 151, 450, count] + chosen).map { Position($0) }
    }

    /// The one answer that there is with and without snapshots, with and without the index, to the byte.
    ///
    /// - Returns: nil where they differ.
    func answer(_ subject: PastSubject, at position: Position) throws -> PastAnswer? {
        let answers = try [(true, true), (true, false), (false, true), (false, false)].map { snapshots, index in
            // One after the other: a process can have the index open once.
            let travel = Travel(in: folder, log: log, usingSnapshots: snapshots, usingIndex: index)
            return try travel.answer(subject, at: try travel.moment(.position(position)))
        }
        return Set(answers.map { $0.lines + $0.jsonLines }).count == 1 ? answers[0] : nil
    }

    static func days(_ zone: String = "UTC") -> PastDays? {
        ReportZone(name: zone).flatMap { PastDays(from: nil, to: nil, zone: $0) }
    }
}

extension TestData {
    /// Adds facts to the log, and closes it.
    func append(_ facts: some Collection<Fact>) throws {
        let log = try log()
        try log.append(facts, with: try log.appender())
        try log.close()
    }

    var snapshots: String { derived + "/snapshots" }
}

extension PastAnswer {
    /// A field of the only row.
    func field(_ name: String) -> PastValue? { rows.first?.first { $0.name == name }?.value }
}
