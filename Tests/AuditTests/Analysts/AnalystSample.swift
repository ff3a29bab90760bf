import EventLog
import Foundation
import Histories

@testable import Audit
@testable import PastStates

/// Runs an export into its own folder and reads the files.
struct AnalystSample {
    let folder: String
    let summary: AnalystExport.Summary
    let format: AnalystFormat

    init(_ data: TestData, _ format: AnalystFormat = .csv, tables: [String]? = nil, until bound: ReplayBound = .head) throws {
        folder = TestData().path + "/tables"
        self.format = format
        summary = try AnalystExport(of: try data.log(.readOnly), as: format, tables: tables, until: bound).run(to: folder)
    }

    func bytes(_ file: String) throws -> [UInt8] { [UInt8](try Data(contentsOf: URL(fileURLWithPath: "\(folder)/\(file)"))) }

    var files: [String] { get throws { try FileManager.default.contentsOfDirectory(atPath: folder).sorted() } }

    /// The bytes of each file by its name.
    var content: [String: [UInt8]] { get throws { Dictionary(uniqueKeysWithValues: try files.map { ($0, try bytes($0)) }) } }

    /// Returns a table's rows as JSON objects; the export must be in JSON lines.
    func objects(_ table: String) throws -> [[String: Any]] {
        try bytes("\(table).jsonl").split(separator: UInt8(ascii: "\n")).compactMap {
            try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
        }
    }
}
