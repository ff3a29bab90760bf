import Foundation
import Testing

extension EndToEnd {
    /// Runs `greentea-replay what-if` on a data folder that a server has filled. The server may still be running.
    @Suite struct WhatIfTests {
        @Test("A report on other rules is written as text, JSON lines, CSV and SVG")
        func otherRules() throws {
            let folder = try TemporaryFolder()
            let server = try Self.threeVisits(in: folder)
            let rules = try Self.file(#"{"goal": 2}"#, in: folder)
            let (csv, svg) = (folder.file("months.csv"), folder.file("months.svg"))
            let text = try Program.run(
                "greentea-replay", "what-if", "--data", folder.data, "--rules", rules, "--price", "350", "--csv", csv, "--svg", svg,
                in: folder)
            #expect(text.status == 0, "\(text.errors)")
            #expect(text.lines.contains { $0.hasPrefix("check    with the recorded rules the re-run equals the log: yes, digest ") })
            #expect(text.lines.contains { $0.split(separator: " ") == ["cards", "filled", "0", "1", "+1"] }, "\(text.output)")
            #expect(text.errors.isEmpty, "no progress bar is drawn without a terminal")
            #expect(try String(contentsOfFile: csv, encoding: .utf8).hasPrefix("shop,shop_name,month,"))
            #expect(try String(contentsOfFile: svg, encoding: .utf8).hasSuffix("</svg>\n"))
            let json = try Program.run(
                "greentea-replay", "what-if", "--data", folder.data, "--rules", rules, "--format", "jsonl", in: folder)
            #expect(json.status == 0 && json.lines.first?.contains(#""check":true"#) == true)
            #expect(try server.stop() == 0)
        }

        @Test("The recorded rules reproduce the log, and the log's file does not change")
        func recordedRules() throws {
            let folder = try TemporaryFolder()
            let server = try Self.threeVisits(in: folder)
            #expect(try server.stop() == 0)
            let log = URL(filePath: folder.data + "/log/data.mdb")
            let before = try Data(contentsOf: log)
            let rules = try Self.file("{}", in: folder)
            let same = try Program.run("greentea-replay", "what-if", "--data", folder.data, "--rules", rules, in: folder)
            #expect(same.status == 0 && same.lines.last == "report   empty: nothing would have been other than it was", "\(same.output)")
            #expect(try Data(contentsOf: log) == before)
        }

        @Test("An impossible request is refused with a message, and a faulty rule is named by its path")
        func impossibleRequests() throws {
            let folder = try TemporaryFolder()
            let server = try Self.threeVisits(in: folder)
            #expect(try server.stop() == 0)
            let good = try Self.file("{}", in: folder)
            let bad = try Self.file(#"{"weekdays": {"mondey": 2}}"#, in: folder)
            let misread = try Program.run("greentea-replay", "what-if", "--data", folder.data, "--rules", bad, in: folder)
            #expect(misread.status == 2 && misread.errors.contains("/weekdays/mondey"), "\(misread.errors)")
            let cases: [([String], Int32)] = [
                (["--data", folder.data, "--rules", folder.file("none.json")], 2), (["--data", folder.file("none"), "--rules", good], 2),
                (["--data", folder.data, "--rules", good, "--csv", folder.file("none/a.csv")], 2), (["--data", folder.data], 64),
                (["--data", folder.data, "--rules", good, "--price", "3.50"], 64),
                (["--data", folder.data, "--rules", good, "--from", "x"], 64),
                (["--data", folder.data, "--rules", good, "--top", "-1"], 64),
                (["--data", folder.data, "--rules", good, "--from", "2026-01-01", "--to", "2025-01-01"], 64),
            ]
            for (arguments, status) in cases {
                let program = try Program("greentea-replay", ["what-if"] + arguments, in: folder)
                #expect(try program.wait() == status, "\(arguments): \(program.errors)")
                #expect(!program.errors.isEmpty)
            }
        }

        @Test("The help explains every member of a rules file that the error about an unknown one lists")
        func everyMemberIsExplained() throws {
            let folder = try TemporaryFolder()
            let rules = try Self.file(#"{"unknown": 1}"#, in: folder)
            let refused = try Program.run("greentea-replay", "what-if", "--data", folder.data, "--rules", rules, in: folder)
            let known = try #require(refused.errors.firstMatch(of: /Known: ([A-Za-z, ]+)/)).1.split(separator: ", ")
            #expect(known.count > 10, "\(refused.errors)")
            let help = try Program.run("greentea-replay", "help", "what-if", in: folder).output
            for name in known { #expect(help.contains("\"\(name)\""), "\(name)") }
        }

        private static func threeVisits(in folder: TemporaryFolder) throws -> Server {
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            for time in 1...3 {
                let stamped: StampBody = try customer.stamp(try counter.code().code, key: "visit-\(time)").read(status: 201)
                #expect(!stamped.card.id.isEmpty)
            }
            return server
        }

        private static func file(_ text: String, in folder: TemporaryFolder) throws -> String {
            let path = folder.file("rules-\(UUID().uuidString).json")
            try Data(text.utf8).write(to: URL(filePath: path))
            return path
        }
    }
}
