import Foundation

/// A CSV file with visits, such as a till writes, and a data folder into which they are imported.
enum Till {
    /// Writes a file of `visits` visits by seven customers, one minute apart.
    static func file(visits: Int, in folder: TemporaryFolder) throws -> String {
        let start = Date(timeIntervalSince1970: 1_704_096_000)
        let rows = (0..<visits).map { number in
            start.addingTimeInterval(Double(60 * number)).formatted(.iso8601) + ",guest \(number % 7)"
        }
        let path = folder.file("visits-\(visits).csv")
        try (["visited_at,customer"] + rows).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
        return path
    }

    /// Imports a file into the folder's data.
    static func imported(visits: Int = 200, in folder: TemporaryFolder) throws {
        let program = try Program("greentea", arguments(try file(visits: visits, in: folder), folder.data), in: folder)
        guard try program.wait() == 0 else { throw TestFailure("not imported: \(program.errors)") }
    }

    static func arguments(_ visits: String, _ data: String) -> [String] {
        ["import", "--data", data, "--visits", visits, "--shop", "Corner", "--goal", "5", "--redeem"]
    }
}
