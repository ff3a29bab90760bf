import Foundation

/// A line of an export of the log's events.
struct ExportedLine: Decodable {
    let type: String?
    let record: Data?

    static func all(in exported: Data) throws -> [ExportedLine] {
        try exported.split(separator: UInt8(ascii: "\n")).map { try JSONDecoder().decode(ExportedLine.self, from: $0) }
    }
}
