/// The figures of one shape, gathered round by round.
struct LogBenchRows {
    private struct Row {
        let name: String
        let unit: String
        var figures: [Double]
    }

    private let shape: AppendShape
    private var rows: [Row] = []

    init(_ shape: AppendShape) {
        self.shape = shape
    }

    /// A round's figure of one side.
    mutating func add(_ side: String, _ what: String, _ unit: String, _ figure: Double) {
        let name = name(side, what)
        if let index = rows.firstIndex(where: { $0.name == name }) {
            rows[index].figures.append(figure)
        } else {
            rows.append(Row(name: name, unit: unit, figures: [figure]))
        }
    }

    /// A round's appends of one side.
    mutating func add(_ side: String, appends: Lanes) {
        add(side, "events", "events/s", appends.rate * Double(shape.events))
        add(side, "p50 of an append", "µs", appends.percentile(0.5))
        add(side, "p99 of an append", "µs", appends.percentile(0.99))
        add(side, "stored", "events", Double(appends.count * shape.events))
    }

    /// A round's reads of the events of one append, by so many at once.
    mutating func add(_ side: String, reads: Lanes, by readers: Int) {
        add(side, "reads by \(readers)", "reads/s", reads.rate)
        add(side, "p50 of a read by \(readers)", "µs", reads.percentile(0.5))
        add(side, "p99 of a read by \(readers)", "µs", reads.percentile(0.99))
    }

    /// Everything, and what the log is to the raw writer.
    func write(to report: inout Report) {
        for row in rows { report.add(row.name, row.unit, row.figures) }
        report.addRatio("log : raw LMDB, \(shape)", of: name("log", "events"), to: name("raw LMDB", "events"))
    }

    private func name(_ side: String, _ what: String) -> String { "\(side) \(shape), \(what)" }
}
