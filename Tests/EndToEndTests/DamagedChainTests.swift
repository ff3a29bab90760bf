import Foundation
import Testing

extension EndToEnd {
    /// Chains of backups with a damaged file: who says so, and what is still built and restored.
    @Suite struct DamagedChainTests {
        private let files = FileManager.default

        private func audit(_ folder: TemporaryFolder, _ arguments: String...) throws -> Finished {
            let program = try Program("greentea-audit", arguments + ["--data", folder.data], in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        /// Makes a full backup and two increments.
        ///
        /// - Returns: their paths.
        private func chain(in folder: TemporaryFolder) throws -> [String] {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = folder.file("copies")
            #expect(try audit(folder, "backup", "--in", copies).status == 0)
            for number in [2, 3] {
                try grow(folder, number)
                #expect(try audit(folder, "backup", "--in", copies, "--incremental").status == 0)
            }
            return try paths(in: folder)
        }

        private func grow(_ folder: TemporaryFolder, _ number: Int) throws {
            let server = try Server(data: folder.data, in: folder)
            try server.client.signIn(number)
            #expect(try server.stop() == 0)
        }

        private func paths(in folder: TemporaryFolder) throws -> [String] {
            let copies = folder.file("copies")
            return try files.contentsOfDirectory(atPath: copies).filter { !$0.hasPrefix(".") }.sorted().map { copies + "/" + $0 }
        }

        /// Removes the file of a link, empties it, or makes it longer.
        private func damage(_ path: String, _ way: String) throws {
            let bytes = try Data(contentsOf: URL(filePath: path))
            try files.removeItem(atPath: path)
            if way != "missing" { try (way == "empty" ? Data() : bytes + Data("more".utf8)).write(to: URL(filePath: path)) }
        }

        @Test("A damaged link is named by `backups` and `--incremental`, which goes on from a whole one and withdraws the drill's note")
        func damagedLink() throws {
            let folder = try TemporaryFolder()
            let (whole, copies) = (try chain(in: folder), folder.file("copies"))
            #expect(try audit(folder, "drill", "--in", copies, "--scratch", folder.path).status == 0)
            try files.copyItem(atPath: copies, toPath: folder.file("kept"))
            for (name, way) in [("events", "missing"), ("events", "longer"), ("increment", "empty"), ("checkpoint", "empty")] {
                try damage(whole[2] + "/" + name, way)
                try Data("events 1\n".utf8).write(to: URL(filePath: folder.data + "/last-drill"))
                let listed = try audit(folder, "backups", "--in", copies)
                #expect(listed.status == 1 && listed.output.contains("  \(whole[2])"), "\(name) \(way): \(listed)")
                let made = try audit(folder, "backup", "--in", copies, "--incremental")
                #expect(made.status == 1 && made.output.contains("of \(whole[1])"), "\(name) \(way): \(made)")
                #expect(made.output.contains("not whole, so nothing was built on it: \(whole[2])"), "\(name) \(way): \(made)")
                #expect(!files.fileExists(atPath: folder.data + "/last-drill"), "\(name) \(way)")
                let last = try #require(try paths(in: folder).last)
                let other = try Program.run("greentea-audit", "restore", "--from", last, "--data", folder.file("other"), in: folder)
                #expect(other.status == 0, "\(other)")
                for path in [copies, folder.file("other")] { try files.removeItem(atPath: path) }
                try files.copyItem(atPath: folder.file("kept"), toPath: copies)
            }
        }

        @Test("Damage to any file that a restore of a full backup needs is named by `backups`, and no increment is built on it")
        func damagedFull() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = folder.file("copies")
            #expect(try audit(folder, "backup", "--in", copies).status == 0)
            let full = try #require(try paths(in: folder).first)
            try grow(folder, 2)
            try files.copyItem(atPath: copies, toPath: folder.file("kept"))
            let cases = [
                ("log/data.mdb", "missing"), ("log/data.mdb", "empty"), ("checkpoint", "empty"), ("pictures", "empty"),
                ("pictures", "longer"),
            ]
            for (name, way) in cases {
                try damage(full + "/" + name, way)
                try? files.removeItem(atPath: folder.data + "/last-backup")
                let listed = try audit(folder, "backups", "--in", copies)
                #expect(listed.status == 1 && listed.output.hasPrefix("damaged  \(full)"), "\(name) \(way): \(listed)")
                let onto = try audit(folder, "backup", "--to", copies + "/increment", "--parent", full)
                #expect([1, 2].contains(onto.status), "\(name) \(way): \(onto)")
                #expect(!files.fileExists(atPath: folder.data + "/last-backup"), "\(name) \(way)")
                let made = try audit(folder, "backup", "--in", copies, "--incremental")
                #expect(made.status == 1 && made.output.contains("backed up") && !made.output.contains("after"), "\(name) \(way): \(made)")
                #expect(!made.output.contains("No other backup"), "\(name) \(way): the one just made can be restored: \(made)")
                try files.removeItem(atPath: copies)
                try files.copyItem(atPath: folder.file("kept"), toPath: copies)
            }
        }

        @Test("The drill restores the newest chain of the backups, and says what it restored and how far behind that is")
        func drill() throws {
            let folder = try TemporaryFolder()
            let (whole, copies) = (try chain(in: folder), folder.file("copies"))
            try grow(folder, 4)
            let note = folder.data + "/last-drill"
            let good = try audit(folder, "drill", "--in", copies, "--scratch", copies)
            #expect(good.status == 0 && good.output.contains("from \(whole[2])"), "\(good)")
            #expect(good.output.contains(#/lacks [1-9]/#) && files.fileExists(atPath: note), "\(good)")
            #expect(try paths(in: folder) == whole)
            let events = whole[1] + "/events"
            var bytes = try Data(contentsOf: URL(filePath: events))
            bytes[bytes.count / 2] ^= 1
            try bytes.write(to: URL(filePath: events))
            let bad = try audit(folder, "drill", "--in", copies, "--scratch", folder.path)
            #expect(bad.status == 1 && bad.output.contains("not whole: \(whole[1])"), "\(bad)")
            #expect(bad.output.contains("from \(whole[0])") && !files.fileExists(atPath: note), "\(bad)")
            let json = try audit(folder, "drill", "--in", copies, "--scratch", folder.path, "--json")
            #expect(json.output.contains(#""from":"\#(whole[0])""#) && json.output.contains(#""unsound":[{"#), "\(json)")
        }

        @Test("Without backups, the drill rehearses with a copy of its own, and says so")
        func drillWithoutBackups() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = folder.file("copies")
            try files.createDirectory(atPath: copies, withIntermediateDirectories: true)
            let drill = try audit(folder, "drill", "--in", copies, "--scratch", folder.path)
            #expect(drill.status == 0 && drill.output.contains("there is no backup in \(copies)"), "\(drill)")
        }
    }
}
