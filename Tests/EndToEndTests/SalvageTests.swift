import Foundation
import Testing

extension EndToEnd {
    /// The way back after damage to the log, with the commands of the runbook as they are printed.
    @Suite struct SalvageTests {
        private func audit(_ folder: TemporaryFolder, _ arguments: [String]) throws -> Finished {
            let program = try Program("greentea-audit", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        /// Destroys the page with the record of an event, and all older copies of the record.
        private func destroy(_ type: String, in folder: TemporaryFolder) throws {
            let events = folder.file("events")
            #expect(try audit(folder, ["export", "--data", folder.data, "-o", events]).status == 0)
            let line = try #require(
                String(contentsOfFile: events, encoding: .utf8).split(separator: "\n").last { $0.contains("\"type\":\"\(type)\"") })
            let base64 = try #require(line.firstMatch(of: /"record":"([^"]+)"/)).output.1
            let record = try #require(Data(base64Encoded: String(base64)))
            let path = URL(filePath: folder.data + "/log/data.mdb")
            var bytes = try Data(contentsOf: path)
            while let place = bytes.range(of: record) {
                let page = place.lowerBound / 4_096 * 4_096
                bytes.replaceSubrange(page..<page + 4_096, with: Data(count: 4_096))
            }
            try bytes.write(to: path)
        }

        /// Runs the command after `next`, part by part.
        private func runNext(of output: String, _ folder: TemporaryFolder) throws -> [Finished] {
            let line = try #require(output.split(separator: "\n").first { $0.hasPrefix("next  ") }, "\(output)")
            return try line.dropFirst(6).split(separator: " && ").map { part in
                let words = part.split(separator: " ").map(String.init)
                if words[0] == "greentea-audit" { return try audit(folder, Array(words.dropFirst())) }
                try #require(words[0] == "mv" && words.count == 3, "\(part)")
                try FileManager.default.moveItem(atPath: words[1], toPath: words[2])
                return Finished(status: 0, output: "", errors: "")
            }
        }

        /// Imports a shop with 300 visits, so that its log has many pages.
        private func importVisits(_ folder: TemporaryFolder) throws {
            let lines = (0..<300).map { "2024-03-\($0 / 50 + 10)T10:\($0 % 50 + 10):00Z,ANON-\($0 % 7),Latte,38.7\n" }
            let file = folder.file("visits.csv")
            try Data(("visited_at,customer,item,amount\n" + lines.joined()).utf8).write(to: URL(filePath: file))
            let arguments = ["import", "--data", folder.data, "--visits", file, "--shop", "Coffee", "--goal", "10"]
            let made = try Program("greentea", arguments, in: folder)
            try #require(made.wait() == 0, "\(made.errors)")
        }

        @Test("A folder whose log was replaced by another one has nothing to salvage")
        func otherLog() throws {
            let (folder, other) = (try TemporaryFolder(), try TemporaryFolder())
            for place in [folder, other] {
                let server = try Server(data: place.data, in: place)
                _ = try Counter.open(at: server)
                #expect(try server.stop() == 0)
            }
            for names in [["data.mdb"], []] {
                let path = folder.data + "/log/data.mdb"
                try FileManager.default.removeItem(atPath: path)
                if let name = names.first { try FileManager.default.copyItem(atPath: other.data + "/log/" + name, toPath: path) }
                let finished = try audit(folder, ["salvage", "--data", folder.data, "--to", folder.file("salvaged")])
                #expect(finished.status == 2 && finished.errors.contains(names.isEmpty ? "logLost: " : "missing: "), "\(finished)")
                #expect(!FileManager.default.fileExists(atPath: folder.file("salvaged")))
            }
        }

        @Test("Damage that a backup covers is undone without loss by the printed commands, and the server goes on")
        func nothingLost() throws {
            let folder = try TemporaryFolder()
            try importVisits(folder)
            let copies = folder.file("copies")
            #expect(try audit(folder, ["backup", "--data", folder.data, "--in", copies]).status == 0)
            for number in 1...2 {
                let server = try Server(data: folder.data, in: folder)
                try server.client.signIn(number)
                #expect(try server.stop() == 0)
            }
            let digest = try Program.run("greentea-replay", "--data", folder.data, "--digest", in: folder).output
            try destroy("CampaignPublished", in: folder)
            #expect(try audit(folder, ["verify", "--data", folder.data]).status == 1)
            let file = folder.file("salvaged")
            let salvaged = try audit(folder, ["salvage", "--data", folder.data, "--to", file, "--in", copies])
            #expect(salvaged.status == 1 && salvaged.output.contains("\nmissing  "), "\(salvaged)")
            #expect(salvaged.output.contains("nothing is lost"), "\(salvaged)")
            let restored = try #require(try runNext(of: salvaged.output, folder).last)
            #expect(restored.status == 0 && restored.output.contains("salvaged  "), "\(restored)")
            #expect(try Program.run("greentea-replay", "--data", folder.data, "--digest", in: folder).output == digest)
            let again = try Server(data: folder.data, in: folder)
            try again.client.signIn(2)
            #expect(try again.stop() == 0)
        }

        @Test("Without a backup, the log goes on before the first lost event, and the summary of a salvage has each range")
        func truncated() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let file = folder.file("salvaged")
            let whole = try audit(folder, ["salvage", "--data", folder.data, "--to", file, "--json"])
            #expect(whole.status == 0 && whole.output.contains(#""missing":[]"#), "\(whole)")
            let other = folder.file("other")
            #expect(try audit(folder, ["import", "--data", other, "--from", file]).status == 0)
            let digests = try [folder.data, other].map { try Program.run("greentea-replay", "--data", $0, "--digest", in: folder).output }
            #expect(digests[0] == digests[1])
            #expect(try audit(folder, ["salvage", "--data", folder.data, "--to", folder.data + "/salvaged"]).status == 2)
        }

        @Test("--to restores a moment of a chain, and a text that is neither a position nor a time with its zone is refused")
        func moment() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (copy, other) = (folder.file("copy"), folder.file("other"))
            #expect(try audit(folder, ["backup", "--data", folder.data, "--to", copy]).status == 0)
            for text in ["2026-11-21", "2026-11-21T09:00:00", "yesterday", "-1"] {
                #expect(try audit(folder, ["restore", "--from", copy, "--data", other, "--to=" + text]).status == 64, "\(text)")
            }
            #expect(try audit(folder, ["restore", "--data", other]).status == 64)
            let refused = try audit(folder, ["restore", "--from", copy, "--data", other, "--to", "20261121"])
            #expect(refused.status == 2 && refused.errors.contains("Name a position from 1 to "), "\(refused)")
            let restored = try audit(folder, ["restore", "--from", copy, "--data", other, "--to", "1"])
            #expect(restored.status == 0 && restored.output.contains("restored  events 1  "), "\(restored)")
            #expect(restored.output.contains("cut  events after 1 were left out, as asked"), "\(restored)")
        }
    }
}
