import Foundation
import Testing

extension EndToEnd {
    /// Starts of the server with a folder that an operator has mixed up: keys of another log, an older log, or an empty log.
    @Suite struct ForeignKeysTests {
        private let folder: TemporaryFolder
        private var other: String { folder.file("other") }

        init() throws { folder = try TemporaryFolder() }

        private func run(_ name: String, _ arguments: String...) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func refusedStart(_ data: String) throws -> String {
            let refused = try run("greentea", "serve", "--dev", "--data", data, "--listen", "127.0.0.1:0")
            #expect(refused.status == 2, "\(refused)")
            return refused.errors
        }

        private func doctor(_ data: String) throws -> Finished { try run("greentea-audit", "doctor", "--data", data) }

        private var runbook: String {
            get throws {
                let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy/RUNBOOK.md")
                return try String(contentsOf: file.standardized, encoding: .utf8)
            }
        }

        @Test("Keys of another log are named by restore, server and doctor, and the printed commands put the right ones in their place")
        func foreignKeys() throws {
            let files = FileManager.default
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (copy, keys) = (folder.file("copy"), folder.file("copied-keys"))
            #expect(try run("greentea-audit", "backup", "--data", folder.data, "--to", copy, "--keys", keys).status == 0)
            try files.createDirectory(atPath: other, withIntermediateDirectories: true)
            try files.copyItem(atPath: folder.data + "/master.key", toPath: other + "/master.key")
            #expect(try Server(data: other, in: folder).stop() == 0)
            let restore = try run("greentea-audit", "restore", "--from", copy, "--data", other)
            #expect(restore.status == 2 && restore.errors.contains("foreignKeys: "), "\(restore)")
            // An operator copies the log by hand.
            for name in ["log", "checkpoint", "checkpoint.vkey"] {
                try files.removeItem(atPath: other + "/" + name)
                try files.copyItem(atPath: copy + "/" + name, toPath: other + "/" + name)
            }
            try files.removeItem(atPath: other + "/derived")
            let refused = try refusedStart(other)
            #expect(refused.contains("foreignKeys: ") && !refused.contains("--accept-older-log"), "\(refused)")
            let configured = try run("greentea", "config", "--dev", "--data", other)
            #expect(configured.status == 2 && configured.errors.contains("foreignKeys: "), "\(configured)")
            let bad = try doctor(other)
            #expect(bad.status == 1 && bad.output.contains("bad  keys: foreignKeys"), "\(bad)")
            let printed = try #require(refused.split(separator: "`").map(String.init).first { $0.hasPrefix("mv ") }, "\(refused)")
            let finished = try run("/bin/sh", "-c", printed.replacing("COPY", with: keys))
            #expect(finished.status == 0, "\(printed): \(finished.errors)")
            let server = try Server(data: other, in: folder)
            try server.client.signIn(1)
            #expect(try server.stop() == 0)
            #expect(try doctor(other).status == 0)
            for heading in ["foreignKeys", "checkpointMismatch"] { #expect(try runbook.contains("\n## \(heading)\n"), "\(heading)") }
        }

        @Test("Lost keys are given up by one start with the printed flag alone; the next start needs none")
        func lostKeys() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            try FileManager.default.removeItem(atPath: folder.data + "/keys")
            // Replaces the development master key. In development all keys derive from it, so the old one would make the lost keys again.
            try String(repeating: "a", count: 64).write(toFile: folder.data + "/master.key", atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: folder.data + "/master.key")
            let refused = try refusedStart(folder.data)
            let printed = try #require(refused.firstMatch(of: /--accept-lost-keys [a-z-]+/), "\(refused)")
            let server = try Server(data: folder.data, in: folder, options: printed.output.split(separator: " ").map(String.init))
            #expect(try server.stop() == 0)
            #expect(server.program.errors.contains("checkpoint.replaced"), "\(server.program.errors)")
            let again = try Server(data: folder.data, in: folder)
            try again.client.signIn(1)
            #expect(try again.stop() == 0)
            #expect(try doctor(folder.data).status == 0)
        }

        @Test("A log that is older than its checkpoint, or damaged, is bad for `doctor`, which also says whether a server runs")
        func unfit() throws {
            let files = FileManager.default
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            try files.copyItem(atPath: folder.data + "/log", toPath: folder.file("older"))
            let server = try AuditTests.story(in: folder)
            let customer = server.client
            for number in 2...4 {
                try customer.signIn(number)
                let beside = try doctor(folder.data).output
                #expect(beside.contains("ok  server: process \(server.program.pid) serves the folder") && !beside.contains("bad  keys"))
            }
            #expect(try server.stop() == 0)
            let well = try doctor(folder.data)
            #expect(well.status == 0 && well.output.contains("warning  server: none that"), "\(well)")
            #expect(well.output.contains(/ok  checkpoint: there is one, of (\d+) of the log's \1 events/), "\(well.output)")
            try files.moveItem(atPath: folder.data + "/log", toPath: folder.file("newer"))
            try files.copyItem(atPath: folder.file("older"), toPath: folder.data + "/log")
            let older = try doctor(folder.data)
            #expect(older.status == 1 && older.output.contains("bad  checkpoint: rolledBack: "), "\(older)")
            try files.removeItem(atPath: folder.data + "/log")
            try files.moveItem(atPath: folder.file("newer"), toPath: folder.data + "/log")
            let file = URL(filePath: folder.data + "/log/data.mdb")
            var bytes = try Data(contentsOf: file)
            for page in 2..<bytes.count / 4_096 { bytes[page * 4_096 + 10] ^= 0xFF }
            try bytes.write(to: file)
            let damaged = try doctor(folder.data)
            #expect(damaged.status == 1 && damaged.errors.contains("damaged"), "\(damaged)")
        }

        @Test("A start on an empty log says that a new shop begins; later starts do not")
        func begun() throws {
            let begun = try Server(data: folder.data, in: folder)
            #expect(try begun.stop() == 0)
            #expect(begun.program.errors.contains("log.begun") && begun.program.output.contains("data \(folder.data), no events yet)"))
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let again = try Server(data: folder.data, in: folder)
            #expect(try again.stop() == 0)
            #expect(!again.program.errors.contains("log.begun"), "\(again.program.errors)")
            #expect(again.program.output.contains("data \(folder.data))\n"), "\(again.program.output)")
        }

        @Test("After a restore, `doctor` and the report of erasures say so until the note is removed, as the printed remedy does")
        func restored() throws {
            let server = try AuditTests.story(in: folder)
            let copy = folder.file("copy")
            let keys = folder.file("copied-keys")
            #expect(try run("greentea-audit", "backup", "--data", folder.data, "--to", copy, "--keys", keys).status == 0)
            let customer = server.client
            try customer.signIn(1)
            #expect(try customer.send("DELETE", "/v1/me").status == 204)
            #expect(try server.stop() == 0)
            #expect(try doctor(folder.data).output.contains("warning  key copy: the last one is from before the newest erasure"))
            let restore = try run("greentea-audit", "restore", "--from", copy, "--data", other, "--keys", keys)
            #expect(restore.status == 0 && restore.output.contains("erasures  the log ends at "), "\(restore)")
            let report = try run("greentea-audit", "erasures", "--data", other)
            #expect(report.status == 1 && report.lines.count == 2 && report.lines[0].hasPrefix("restored  "), "\(report)")
            #expect(report.lines[1].hasPrefix("not known: restored from a backup of "), "\(report)")
            let line = try #require(try doctor(other).lines.first { $0.hasPrefix("warning  restore: ") })
            let remedy = try #require(line.components(separatedBy: "then: ").last)
            #expect(try run("/bin/sh", "-c", remedy).status == 0)
            #expect(try !doctor(other).output.contains("  restore: "))
            #expect(try run("greentea-audit", "erasures", "--data", other).lines == ["done  nobody was ever erased"])
            #expect(try runbook.contains("\n## After a restore\n"))
        }
    }
}
