internal import EventLog
internal import Loyalty

/// Reads a file into a `VisitHistory`, and reports rows that are not visits.
struct VisitFile {
    let terms: ImportTerms
    /// So that no time in the distant future gets into the log.
    let latest: Instant
    let report: (RowReport) -> Void

    /// Reads the file into visits in the order of time, and a summary of skipped rows.
    ///
    /// - Throws: `ImportError.unreadable`, `.unusableHeader`, `.tooManyVisits`.
    func read(_ source: some ByteSource, path: String) throws(ImportError) -> (history: VisitHistory, summary: ImportSummary) {
        var reader = RecordReader(source)
        var history = VisitHistory()
        var summary = ImportSummary()
        let columns = try columns(try next(&reader, path))
        while let record = try next(&reader, path) {
            do throws(RowFault) {
                history.add(try row(of: record, columns), line: record.line)
            } catch {
                let fault = RowReport(line: record.line, reason: error.reason)
                summary.count(malformed: fault)
                report(fault)
            }
            guard history.visits.count <= Limits.visitsMax else { throw .tooManyVisits(max: Limits.visitsMax) }
        }
        history.sortByTime()
        return (history, summary)
    }

    private func row(of record: CSVRecord, _ columns: RowColumns) throws(RowFault) -> VisitRow {
        switch record.fields {
        case .failure(let fault): throw RowFault(fault.reason)
        case .success(let fields):
            let row = try columns.row(fields, latest: latest)
            if let complaint = terms.complaint(about: row) { throw RowFault(complaint) }
            return row
        }
    }

    private func columns(_ header: CSVRecord?) throws(ImportError) -> RowColumns {
        switch header?.fields {
        case .success(let names): return try RowColumns(header: names)
        case .failure(let fault): throw .unusableHeader(fault.reason)
        case nil: throw .unusableHeader("the file is empty")
        }
    }

    private func next(_ reader: inout RecordReader<some ByteSource>, _ path: String) throws(ImportError) -> CSVRecord? {
        do { return try reader.next() } catch { throw .unreadable(path: path, reason: "\(FileFault(error))") }
    }
}
