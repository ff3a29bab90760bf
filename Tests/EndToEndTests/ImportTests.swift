import Foundation
import Testing

extension EndToEnd {
    /// The end of an import whose file has rows that are no visits.
    @Suite struct ImportTests {
        private static func imported(_ rows: [String], _ more: String..., in folder: TemporaryFolder) throws -> Finished {
            let path = folder.file("visits.csv")
            try (["visited_at,customer"] + rows).joined(separator: "\n").write(toFile: path, atomically: true, encoding: .utf8)
            let arguments = ["import", "--data", folder.data, "--visits", path, "--shop", "Corner", "--goal", "5"] + more
            let program = try Program("greentea", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test("A file of which no row is a visit fails and names the first reason", arguments: [[], ["--json"]])
        func nothing(_ more: [String]) throws {
            let folder = try TemporaryFolder()
            let rows = ["yesterday,anna", "tomorrow,ben"]
            let none = try more.isEmpty ? Self.imported(rows, in: folder) : Self.imported(rows, "--json", in: folder)
            #expect(none.status == 1)
            let last = try #require(none.errors.split(separator: "\n").last)
            #expect(last.contains("2 of 2 rows") && last.contains("line 2") && last.contains("\"yesterday\""), "\(none.errors)")
        }

        @Test("A file of which some rows are no visits says so in the last line, and one without rows is no failure")
        func some() throws {
            let folder = try TemporaryFolder()
            let some = try Self.imported(["2024-03-01T10:15:00.0000000Z,anna", "tomorrow,ben"], in: folder)
            #expect(some.status == 0)
            let last = try #require(some.lines.last)
            #expect(last.contains("1 of 2 rows") && last.contains("line 3"), "\(some.output)")
            let json = try Self.imported(["2024-03-01T10:15:00.0000000Z,anna", "tomorrow,ben"], "--json", in: folder)
            #expect(json.status == 0 && json.lines.count == 1 && json.lines[0].hasPrefix("{"))
            #expect(json.errors.split(separator: "\n").last?.contains("1 of 2 rows") == true)
            let all = try Self.imported(["2024-03-01t10:15:00z,anna"], in: folder)
            #expect(all.status == 0 && all.errors.isEmpty && all.lines.last?.hasPrefix("seconds") == true)
            #expect(try Self.imported([], in: folder).status == 0)
        }

        @Test("An import gives a new log the name that it is told, which `config` compares, or says that it named itself")
        func origin() throws {
            let (named, unnamed) = (try TemporaryFolder(), try TemporaryFolder())
            let row = ["2024-03-01T10:15:00Z,anna"]
            #expect(try Self.imported(row, "--origin", "tea.example/log", in: named).errors.isEmpty)
            func config(_ origin: String) throws -> Finished {
                try Program.run("greentea", "config", "--dev", "--data", named.data, "--origin", origin, in: named)
            }
            #expect(try config("tea.example/log").status == 0)
            let other = try config("other.example")
            #expect(other.status == 2 && other.errors.contains("the log is called tea.example/log"), "\(other.errors)")
            let key = unnamed.file("master.key")
            try Program.run("greentea", "key", "new", in: unnamed).output.write(toFile: key, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: key)
            let note = try Self.imported(row, "--master-key-file", key, in: unnamed).errors
            #expect(note.contains("import again with --origin"), "\(note)")
            #expect(try Self.imported(row, "--origin", "https://tea", in: unnamed).status == 64)
        }
    }
}
