import Foundation
import Testing

extension EndToEnd {
    /// `greentea-audit` on a folder that a server has filled, run as real processes.
    @Suite struct AuditTests {
        @Test("The log of a running server is verified as clean, and a drill with it succeeds")
        func cleanLog() throws {
            let folder = try TemporaryFolder()
            let server = try Self.story(in: folder)
            let verified = try Program.run("greentea-audit", "verify", "--data", folder.data, in: folder)
            #expect(verified.status == 0, "\(verified.output)\(verified.errors)")
            #expect(verified.lines.last?.hasPrefix("clean") == true)
            #expect(!verified.output.contains("note:"), "a reader slot holds the commit")
            let place = folder.file(".")
            let drill = try Program.run("greentea-audit", "drill", "--data", folder.data, "--scratch", place, "--json", in: folder)
            #expect(drill.status == 0 && drill.output.contains(#""verdict":"good""#), "\(drill.output)\(drill.errors)")
            #expect(try server.stop() == 0)
        }

        @Test("A flipped byte in the log is reported with its position")
        func flippedByte() throws {
            let folder = try TemporaryFolder()
            #expect(try Self.story(in: folder).stop() == 0)
            let path = URL(filePath: folder.data + "/log/data.mdb")
            var bytes = try Data(contentsOf: path)
            // These bytes begin the campaign's payload: a stamp card with ten stamps. The test changes them wherever they occur in the
            // file, because free pages may hold older copies of the payload.
            let payload = Data([0x08, 0x01, 0x20, 0x0A, 0x31])
            #expect(bytes.range(of: payload) != nil)
            while let place = bytes.range(of: payload) { bytes[place.lowerBound] ^= 1 }
            try bytes.write(to: path)
            let verified = try Program.run("greentea-audit", "verify", "--data", folder.data, "--json", in: folder)
            #expect(verified.status == 1)
            #expect(verified.output.contains(#""kind":"tree""#) && verified.output.contains(#""position":"#), "\(verified.output)")
        }

        @Test("A backup made beside a server is restored with the same digest, but not over the server's folder")
        func backupRestored() throws {
            let folder = try TemporaryFolder()
            let server = try Self.story(in: folder)
            let (copy, other) = (folder.file("copy"), folder.file("other"))
            #expect(try Program.run("greentea-audit", "backup", "--data", folder.data, "--to", copy, in: folder).status == 0)
            let over = try Program.run("greentea-audit", "restore", "--from", copy, "--data", folder.data, in: folder)
            #expect(over.status == 2 && over.errors.contains("\(server.program.pid)"), "\(over.errors)")
            #expect(try server.stop() == 0)
            let restored = try Program.run("greentea-audit", "restore", "--from", copy, "--data", other, in: folder)
            #expect(restored.status == 0, "\(restored.output)\(restored.errors)")
            let digests = try [folder.data, other].map { try Program.run("greentea-replay", "--data", $0, "--digest", in: folder).output }
            #expect(digests[0] == digests[1])
        }

        @Test("An import of an exported log has the same histories", arguments: ["jsonl", "binary"])
        func sameHistories(format: String) throws {
            let folder = try TemporaryFolder()
            #expect(try Self.story(in: folder).stop() == 0)
            let (file, other) = (folder.file("events"), folder.file("other"))
            let out = try Program.run("greentea-audit", "export", "--data", folder.data, "--format", format, "-o", file, in: folder)
            #expect(out.status == 0, "\(out.errors)")
            let into = try Program.run("greentea-audit", "import", "--data", other, "--from", file, in: folder)
            #expect(into.status == 0, "\(into.errors)")
            let replayed = try Program.run("greentea-replay", "--data", folder.data, in: folder).lines
            let opened = try #require(replayed.first { $0.contains(" CardOpened ") })
            let card = try #require(opened.split(separator: " ").first { $0.hasPrefix("card=") }?.dropFirst(5))
            let lives = try [folder.data, other].map { data in
                try Program.run("greentea-audit", "history", "card:\(card)", "--data", data, in: folder)
            }
            #expect(lives[0].lines == replayed.filter { $0.contains("card=\(card)") } && lives[0].lines == lives[1].lines)
        }

        @Test(
            "A wrong argument of greentea-audit is a usage error",
            arguments: [["verify", "--jobs", "0"], ["history", "teapot:1"], ["export", "--format", "xml"], ["backup"]])
        func wrongUseIsNamed(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            let program = try Program("greentea-audit", arguments + ["--data", folder.data], in: folder)
            #expect(try program.wait() == 64)
        }

        @Test("A missing data folder is reported with its path", arguments: ["verify", "drill", "export"])
        func withoutDataItSaysSo(command: String) throws {
            let folder = try TemporaryFolder()
            let finished = try Program.run("greentea-audit", command, "--data", folder.data, in: folder)
            #expect(finished.status == 2 && finished.errors.contains(folder.data), "\(finished.errors)")
        }

        /// Starts a server with a shop and a customer whose card has three stamps.
        static func story(in folder: TemporaryFolder) throws -> Server {
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            for time in 1...3 {
                let _: StampBody = try customer.stamp(try counter.code().code, key: "visit-\(time)").read(status: 201)
            }
            return server
        }
    }
}
