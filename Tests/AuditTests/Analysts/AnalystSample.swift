import EventLog
import Foundation
import Histories

@testable import Audit
@testable import PastStates

/// An export in a folder of its own, and looks at it.
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

    /// Every file's bytes by name.
    var content: [String: [UInt8]] {
        get throws { Dictionary(uniqueKeysWithValues: try files.map { ($0, try bytes($0)) }) }
    }

    /// A table's rows as JSON objects; of an export as JSON lines.
    func objects(_ table: String) throws -> [[String: Any]] {
        try bytes("\(table).jsonl").split(separator: UInt8(ascii: "\n")).compactMap {
            try JSONSerialization.jsonObject(with: Data($0)) as? [String: Any]
        }
    }
}
