import EventLog
import Foundation

/// Measures the tag index at several sizes: indexing, live and during a rebuild.
///
/// Each event has four indexed tags: one of a thousand shops, a card of eight events far apart, and two unique ones.
struct IndexBench {
    private static let shops = 1_000
    private static let type = EventType(1)
    private static let (shopKind, cardKind, codeKind, requestKind) = (TagKind(1), TagKind(2), TagKind(3), TagKind(4))

    /// Events of each measured log.
    let events: [Int]
    let folder: String

    func run(into report: inout Report) throws {
        for count in events { try measure(count, "\(folder)/index-\(count)", &report) }
    }

    private func measure(_ count: Int, _ path: String, _ report: inout Report) throws {
        let name = "index of \(count) events: "
        try append(count, path, name, &report)
        try FileManager.default.removeItem(atPath: path + "/index")
        let cpu = ProcessFigures.cpuSeconds
        var log: EventLog?
        let wall = try blockingSeconds { log = try open(path) }
        report.add(name + "made anew, wall", "ns/event", [wall * 1e9 / Double(count)])
        report.add(name + "made anew, CPU", "ns/event", [(ProcessFigures.cpuSeconds - cpu) * 1e9 / Double(count)])
        try log?.close()
        log = nil
        let files = try FileManager.default.contentsOfDirectory(atPath: path + "/index")
        let sizes = try files.map { try FileManager.default.attributesOfItem(atPath: path + "/index/" + $0)[.size] as? Int ?? 0 }
        report.add(name + "files", "bytes/event", [Double(sizes.reduce(0, +)) / Double(count)])
        report.add(name + "reopened", "ms", [try blockingSeconds { _ = try open(path) } * 1e3])
    }

    /// Appends flushed batches as a server would: a thousandth of the events, at least 100 and at most 20,000.
    private func append(_ count: Int, _ path: String, _ name: String, _ report: inout Report) throws {
        let log = try open(path)
        let appender = try log.appender()
        let cpu = ProcessFigures.cpuSeconds
        let batch = min(20_000, max(100, count / 1_000))
        let wall = try blockingSeconds {
            for number in 0..<count {
                try appender.stage(event(number, of: count))
                if (number + 1) % batch == 0 { try appender.commit() }
            }
            try appender.commit()
        }
        report.add(name + "append with index, wall", "ns/event", [wall * 1e9 / Double(count)])
        report.add(name + "append with index, CPU", "ns/event", [(ProcessFigures.cpuSeconds - cpu) * 1e9 / Double(count)])
        report.add(name + "memory of its own", "MB", [ProcessFigures.megabytes("RssAnon")])
        report.add(name + "memory at most, mapped files included", "MB", [ProcessFigures.megabytes("VmHWM")])
        try log.close()
    }

    private func event(_ number: Int, of count: Int) -> NewEvent {
        NewEvent(
            type: Self.type, time: Timestamp(microseconds: 1_700_000_000_000_000 + Int64(number)),
            tags: [
                Tag(Self.shopKind, UInt128(number % Self.shops)), tag(Self.cardKind, number % max(1, count / 8)),
                tag(Self.codeKind, number), tag(Self.requestKind, number),
            ])
    }

    private func open(_ path: String) throws -> EventLog {
        let kinds = [Self.shopKind: "shop", Self.cardKind: "card", Self.codeKind: "code", Self.requestKind: "request"]
        let schema = Schema(types: [Self.type: "Stamped"], tagKinds: kinds.mapValues { TagKindRule(name: $0) })
        return try EventLog(
            directory: path + "/log", index: path + "/index", schema: schema, access: .readWrite, created: Timestamp(microseconds: 0))
    }

    private func tag(_ kind: TagKind, _ number: Int) -> Tag { Tag(kind, scattered(UInt64(number), UInt64(kind.rawValue))) }
}
