import ArgumentParser
import Foundation

/// Measures conditional appends to the log by many tasks, and reads of it. The baseline is ``RawWriter`` with equally many bytes.
///
/// `Tools/peers` runs this with one shape at a time, and the same load on other stores.
struct LogBench {
    /// Bytes of each event.
    static let payloadBytes = 256
    /// Events per append in the shape whose log is also read.
    private static let readEvents = 64
    /// Concurrent readers, one row for each.
    private static let readers = [1, 16]

    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        for shape in sizes.shapes {
            for round in 0..<sizes.rounds { try await measure(shape, in: folder + "/\(shape)-\(round)", into: &report) }
            report.addRatio(shape)
        }
    }

    private func measure(_ shape: AppendShape, in folder: String, into report: inout Report) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await measureRaw(shape, in: folder + "/raw", into: &report)
        let store = try LogBenchStore(in: folder, shape)
        let lanes = try await Lanes.run(shape.writers, seconds: sizes.logSeconds) { try await store.append($0, $1) }
        try await store.check(lanes)
        report.append("log", shape, appends: lanes)
        if shape.events == Self.readEvents { try await read(store, lanes, into: &report) }
        try close(store)
    }

    private func measureRaw(_ shape: AppendShape, in folder: String, into report: inout Report) async throws {
        let writer = try RawWriter(in: folder, recordBytes: Self.payloadBytes, recordsAnAppend: shape.events)
        defer { writer.stop() }
        let lanes = try await Lanes.run(shape.writers, seconds: sizes.logSeconds) { _, _ in try await writer.append() }
        report.append("raw LMDB", shape, appends: lanes)
        let rate = try rate(of: lanes.count * shape.events, readBy: writer.scan)
        if shape.events == Self.readEvents { report.append("raw LMDB", shape, "full read in place", "events/s", rate) }
    }

    private func read(_ store: LogBenchStore, _ appended: Lanes, into report: inout Report) async throws {
        for readers in Self.readers {
            // The first run only warms the caches.
            _ = try await readSome(of: store, appended, readers: readers, seconds: sizes.logSeconds / 4)
            let reads = try await readSome(of: store, appended, readers: readers, seconds: sizes.logSeconds / 2)
            report.append("log", store.shape, reads: reads, by: readers)
        }
        let events = appended.count * store.shape.events
        report.append("log", store.shape, "full read", "events/s", try rate(of: events, readBy: store.readAll))
        report.append("log", store.shape, "full read in place", "events/s", try rate(of: events, readBy: store.scan))
    }

    /// Reads the events of randomly chosen appends.
    private func readSome(of store: LogBenchStore, _ appended: Lanes, readers: Int, seconds: Double) async throws -> Lanes {
        try await Lanes.run(readers, seconds: seconds) { reader, number in
            let pick = scattered(UInt64(reader) << 40 | UInt64(number), 2)
            let writer = Int((pick >> 64) % UInt128(appended.counts.count))
            try store.read(writer, Int(pick % UInt128(appended.counts[writer])))
        }
    }

    /// Events per second of `read`, which must find `events`.
    private func rate(of events: Int, readBy read: () throws -> Int) throws -> Double {
        try passRate(of: events) {
            guard try read() == events else { throw BenchError.unexpected }
        }
    }
}

/// `64x512` means 64 writers with 512 events in every append.
struct AppendShape: Hashable, Sendable, ExpressibleByArgument, CustomStringConvertible {
    let writers: Int
    let events: Int

    init(_ writers: Int, _ events: Int) { (self.writers, self.events) = (writers, events) }

    init?(argument: String) {
        let numbers = argument.split(separator: "x", omittingEmptySubsequences: false).map { Int($0) ?? 0 }
        guard numbers.count == 2, numbers.allSatisfy({ $0 > 0 }) else { return nil }
        self.init(numbers[0], numbers[1])
    }

    var description: String { "\(writers)x\(events)" }
}

extension Report {
    private static func name(_ side: String, _ shape: AppendShape, _ what: String) -> String { "\(side) \(shape), \(what)" }

    /// Adds a store's figure of one round.
    fileprivate mutating func append(_ side: String, _ shape: AppendShape, _ what: String, _ unit: String, _ figure: Double) {
        append(figure, to: Self.name(side, shape, what), unit)
    }

    /// Adds a store's appends of one round.
    fileprivate mutating func append(_ side: String, _ shape: AppendShape, appends: Lanes) {
        append(side, shape, "events", "events/s", appends.rate * Double(shape.events))
        append(side, shape, "p50 of an append", "µs", appends.microseconds.percentile(0.5))
        append(side, shape, "p99 of an append", "µs", appends.microseconds.percentile(0.99))
        append(side, shape, "stored", "events", Double(appends.count * shape.events))
    }

    /// Adds a store's reads of one round, each of one append's events.
    fileprivate mutating func append(_ side: String, _ shape: AppendShape, reads: Lanes, by readers: Int) {
        append(side, shape, "reads by \(readers)", "reads/s", reads.rate)
        append(side, shape, "p50 of a read by \(readers)", "µs", reads.microseconds.percentile(0.5))
        append(side, shape, "p99 of a read by \(readers)", "µs", reads.microseconds.percentile(0.99))
    }

    fileprivate mutating func addRatio(_ shape: AppendShape) {
        addRatio("log : raw LMDB, \(shape)", of: Self.name("log", shape, "events"), to: Self.name("raw LMDB", shape, "events"))
    }
}

/// The result of tasks that each repeated an operation for some seconds.
struct Lanes {
    /// Ascending.
    let microseconds: [Double]
    /// Operations of each task.
    let counts: [Int]
    /// From the first operation's begin to the last one's end.
    let seconds: Double

    var count: Int { microseconds.count }
    var rate: Double { Double(count) / seconds }

    /// Runs `lanes` concurrent tasks, each of which repeats `step` until `seconds` have passed.
    static func run(
        _ lanes: Int, seconds: Double, _ step: @escaping @Sendable (_ lane: Int, _ number: Int) async throws -> Void
    ) async throws -> Lanes {
        let clock = ContinuousClock()
        let begin = clock.now
        let end = begin + .seconds(seconds)
        let lists = try await withThrowingTaskGroup(of: (Int, [Double]).self) { group in
            for lane in 0..<lanes {
                group.addTask { (lane, try await times(of: step, in: lane, until: end)) }
            }
            return try await group.reduce(into: [[Double]](repeating: [], count: lanes)) { $0[$1.0] = $1.1 }
        }
        let elapsed = (clock.now - begin) / .seconds(1)
        return Lanes(microseconds: lists.joined().sorted(), counts: lists.map(\.count), seconds: elapsed)
    }

    private static func times(
        of step: @Sendable (_ lane: Int, _ number: Int) async throws -> Void, in lane: Int, until end: ContinuousClock.Instant
    ) async throws -> [Double] {
        let clock = ContinuousClock()
        var times: [Double] = []
        repeat {
            let began = clock.now
            try await step(lane, times.count)
            times.append((clock.now - began) / .microseconds(1))
            // Without this yield, a step that never waits would keep other tasks from beginning.
            await Task.yield()
        } while clock.now < end
        return times
    }
}
