import Foundation

/// Conditional appends to the log itself by many tasks, beside the raw writer thread with as many bytes; then reads of what is there.
///
/// `Tools/peers` asks for one shape at a time and runs other stores beside it.
struct LogBench {
    /// Bytes of each event's payload.
    static let payloadBytes = 256
    /// What a log is read that was written by appends of so many events.
    private static let readEvents = 64
    /// How many read at once.
    private static let readers = [1, 16]

    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        for shape in sizes.shapes {
            var rows = LogBenchRows(shape)
            for round in 0..<sizes.rounds { try await measure(shape, in: folder + "/\(shape)-\(round)", into: &rows) }
            rows.write(to: &report)
        }
    }

    private func measure(_ shape: AppendShape, in folder: String, into rows: inout LogBenchRows) async throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try await measureRaw(shape, in: folder + "/raw", into: &rows)
        let store = try LogBenchStore(in: folder, shape)
        let lanes = try await Lanes.run(shape.writers, seconds: sizes.logSeconds) { try await store.append($0, $1) }
        try await store.check(lanes)
        rows.add("log", appends: lanes)
        if shape.events == Self.readEvents { try await read(store, lanes, into: &rows) }
        try close(store)
    }

    private func measureRaw(_ shape: AppendShape, in folder: String, into rows: inout LogBenchRows) async throws {
        let writer = try RawWriter(in: folder, recordBytes: Self.payloadBytes, recordsAnAppend: shape.events)
        defer { writer.stop() }
        let lanes = try await Lanes.run(shape.writers, seconds: sizes.logSeconds) { _, _ in try await writer.append() }
        rows.add("raw LMDB", appends: lanes)
        let rate = try rate(of: lanes.count * shape.events, readBy: writer.scan)
        if shape.events == Self.readEvents { rows.add("raw LMDB", "full read in place", "events/s", rate) }
    }

    private func read(_ store: LogBenchStore, _ appended: Lanes, into rows: inout LogBenchRows) async throws {
        for readers in Self.readers {
            // The first time warms what the second finds.
            _ = try await readSome(of: store, appended, readers: readers, seconds: sizes.logSeconds / 4)
            let reads = try await readSome(of: store, appended, readers: readers, seconds: sizes.logSeconds / 2)
            rows.add("log", reads: reads, by: readers)
        }
        let events = appended.count * store.shape.events
        rows.add("log", "full read", "events/s", try rate(of: events, readBy: store.readAll))
        rows.add("log", "full read in place", "events/s", try rate(of: events, readBy: store.scan))
    }

    /// Reads the events of appends that are picked as by chance.
    private func readSome(of store: LogBenchStore, _ appended: Lanes, readers: Int, seconds: Double) async throws -> Lanes {
        try await Lanes.run(readers, seconds: seconds) { reader, number in
            let pick = GeneratedLog.scattered(UInt64(reader) << 40 | UInt64(number), 2)
            let writer = Int((pick >> 64) % UInt128(appended.counts.count))
            try store.read(writer, Int(pick % UInt128(appended.counts[writer])))
        }
    }

    /// Events a second of a read that has to find so many.
    private func rate(of events: Int, readBy read: () throws -> Int) throws -> Double {
        var found = 0
        let elapsed = try blockingSeconds { found = try read() }
        guard found == events else { throw BenchError.unexpected }
        return Double(events) / elapsed
    }
}
