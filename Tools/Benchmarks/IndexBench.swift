import EventLog
import Foundation

/// Measures the tag index at several sizes: indexing, live and during a rebuild, and look-ups.
///
/// Each event has four indexed tags: one of a thousand shops, a card of eight events far apart, and two unique ones.
struct IndexBench {
    private static let shops = 1_000
    private static let lookups = 20_000
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
        ProcessFigures.awaitIdleThreads()
        if let log { try ask(log, count, name, &report) }
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
        let flusher = ProcessFigures.cpuSecondsOfOthers
        report.add(name + "of that the index's thread", "ns/event", [flusher * 1e9 / Double(count)])
        report.add(name + "memory of its own", "MB", [ProcessFigures.megabytes("RssAnon")])
        report.add(name + "memory at most, mapped files included", "MB", [ProcessFigures.megabytes("VmHWM")])
        try log.close()
    }

    private func ask(_ log: EventLog, _ count: Int, _ name: String, _ report: inout Report) throws {
        func time(_ what: String, _ body: (Int) throws -> Bool) throws {
            let cpu = ProcessFigures.cpuSecondsOfThread
            for number in 0..<Self.lookups {
                guard try body(number) else { throw BenchError.unexpected }
            }
            report.add(name + what + ", CPU", "ns", [(ProcessFigures.cpuSecondsOfThread - cpu) * 1e9 / Double(Self.lookups)])
        }
        let one = { (number: Int) in Int(Self.scattered(UInt64(number), 9) % UInt64(count)) }
        try time("miss of a unique tag") { try log.lastPosition(of: tag(Self.requestKind, count + $0)) == nil }
        try time("miss of a unique tag and type") { try log.lastPosition(of: tag(Self.requestKind, count + $0), type: Self.type) == nil }
        try time("miss of a hot tag's absent type") {
            try log.lastPosition(of: Tag(Self.shopKind, UInt128($0 % Self.shops)), type: EventType(3)) == nil
        }
        try time("a unique tag") { try log.lastPosition(of: tag(Self.codeKind, one($0)))?.rawValue == UInt64(one($0) + 1) }
        try time("newest of a card") {
            try log.lastPosition(of: tag(Self.cardKind, one($0) % max(1, count / 8)), type: Self.type) != nil
        }
        try time("ten backwards of a hot tag") {
            try log.positions(matching: .tags(Tag(Self.shopKind, UInt128($0 % Self.shops))), backwards: true, limit: 10).count == 10
        }
        try time("two tags") {
            let event = self.event(one($0), of: count)
            return try log.positions(matching: .items([QueryItem(tags: [event.tags[0], event.tags[1]])])).isEmpty == false
        }
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
        let schema = Schema(
            types: [Self.type: "Stamped", EventType(3): "Closed"], tagKinds: kinds.mapValues { TagKindRule(name: $0) })
        return try EventLog(
            directory: path + "/log", index: path + "/index", schema: schema, access: .readWrite, created: Timestamp(microseconds: 0))
    }

    private func tag(_ kind: TagKind, _ number: Int) -> Tag {
        let (high, low) = (Self.scattered(UInt64(number), 1), Self.scattered(UInt64(number), UInt64(kind.rawValue) + 1))
        return Tag(kind, UInt128(high) << 64 | UInt128(low))
    }

    /// Looks random like a hash, but is the same in every run. Another `purpose` gives another number.
    private static func scattered(_ number: UInt64, _ purpose: UInt64) -> UInt64 {
        var word = number &* 0x9E37_79B9_7F4A_7C15 &+ purpose &* 0xD6E8_FEB8_6659_FD93
        word = (word ^ (word >> 30)) &* 0xBF58_476D_1CE4_E5B9
        word = (word ^ (word >> 27)) &* 0x94D0_49BB_1331_11EB
        return word ^ (word >> 31)
    }
}
