import EventLog
import Foundation
import Testing

/// Compares the code between two marks of a test file with a code block of a documentation page.
///
/// - Parameters:
///   - page: a page's name in the catalogue of `EventLog`.
///   - block: the index of the page's Swift block, counted from 0.
///   - mark: the words that stand before "begins" and "ends" in the two marks of the test file.
func expectShown(_ page: String, block: Int, mark: String = "example", file: String = #filePath) throws {
    let shown = try blocks(page)
    try #require(block < shown.count, "the page \(page) has \(shown.count) blocks")
    let test = lines(try String(contentsOfFile: file, encoding: .utf8))
    let marked = Array(test.drop { $0 != "// \(mark) begins" }.dropFirst().prefix { $0 != "// \(mark) ends" })
    #expect(!marked.isEmpty)
    #expect(shown[block] == marked)
}

/// The Swift blocks of a page, each line without its indentation.
func blocks(_ page: String) throws -> [[String]] {
    var root = URL(fileURLWithPath: #filePath)
    for _ in 1...4 { root.deleteLastPathComponent() }
    let path = root.appendingPathComponent("Sources/EventLog/EventLog.docc/\(page).md")
    var (rest, blocks) = (lines(try String(contentsOf: path, encoding: .utf8))[...], [[String]]())
    while let start = rest.firstIndex(of: "```swift") {
        let block = rest[(start + 1)...].prefix { $0 != "```" }
        blocks.append(Array(block))
        rest = rest[block.endIndex...]
    }
    return blocks
}

private func lines(_ text: String) -> [String] {
    text.split(separator: "\n").map { $0.trimmingCharacters(in: .whitespaces) }
}

/// Runs an example with a temporary log.
func temporary(_ schema: Schema, _ body: (EventLog, LogWriter) async throws -> Void) async throws {
    let log = try EventLog.temporary(schema: schema)
    try await log.withWriter { try await body(log, $0) }
    try log.close()
}
