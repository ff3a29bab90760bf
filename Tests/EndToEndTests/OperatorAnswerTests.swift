import Foundation
import Patience
import Testing

extension EndToEnd {
    /// Complete answers of the tools: every card that a code stamped, the event that a receipt proves, a file that the user may not read.
    @Suite struct OperatorAnswerTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func run(_ name: String, _ arguments: [String]) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        /// Returns a customer and a code that this customer has used. The code's stamps filled one card and began the next one.
        private func codeOnTwoCards(at server: Server) throws -> (customer: Client, code: CodeBody) {
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            let _: StampBody = try customer.stamp(try counter.code(stamps: 6).code, key: "first").read(status: 201)
            let code = try counter.code(stamps: 7)
            let _: StampBody = try customer.stamp(code.code, key: "second").read(status: 201)
            return (customer, code)
        }

        private func audit(_ arguments: String...) throws -> Finished { try run("greentea-audit", arguments + ["--data", folder.data]) }

        @Test("The verdict on a code names each card with its stamps, and says that the account was erased since")
        func everyCard() throws {
            let server = try Server(data: folder.data, in: folder)
            let (customer, code) = try codeOnTwoCards(at: server)
            let link = "http://127.0.0.1:\(server.port)/s/\(code.code.filter { $0 != "-" })"
            for asked in [code.id, code.code, link] {
                let answer = try audit("who", asked)
                let verdict = try #require(answer.lines.last, "\(answer.errors)")
                #expect(answer.status == 0 && verdict.contains("used by \(customer.account) at "), "\(verdict)")
                let cards = verdict.matches(of: /card card_[0-9a-z]{26}, ([0-9]+) stamps, position [0-9]+/)
                #expect(cards.map { String($0.output.1) } == ["4", "3"], "\(verdict)")
                #expect(!verdict.contains("erased"), "\(verdict)")
            }
            #expect(try customer.send("DELETE", "/v1/me").status == 204)
            let verdict = try audit("who", code.id).lines.last
            #expect(verdict?.contains("; this account was erased at ") == true, "\(verdict ?? "")")
            #expect(try audit("erasures").lines.last == "done  erasures 1  (no copy of the keys was looked at: name each with --keys)")
            let keys = folder.file("keys")
            #expect(try audit("backup", "--to", folder.file("copy"), "--keys", keys).output.contains("keys copied to \(keys)"))
            #expect(try audit("erasures", "--keys", keys).lines.last == "done  erasures 1  (copies of keys looked at: 1)")
            #expect(try server.stop() == 0)
        }

        @Test("`prove` shows the event, warns if it is no stamp, and replaces no file")
        func proved() throws {
            let server = try AuditTests.story(in: folder)
            let events = try run("greentea-replay", ["--data", folder.data])
            let stamp = try #require(events.lines.last { $0.contains(" CardStamped ") })
            let (position, proof) = (String(stamp.prefix { $0 != " " }), folder.file("stamp.tlog-proof"))
            try eventually("the checkpoint covers the stamp") { try audit("prove", "--position", position).status == 0 }
            let made = try audit("prove", "--position", position, "-o", proof)
            #expect(made.status == 0 && made.errors.contains("proves  \(stamp)\n") && !made.errors.contains("warning"), "\(made.errors)")
            let first = try audit("prove", "--position", "1")
            #expect(first.status == 0 && first.errors.contains("warning: this is no stamp"), "\(first.errors)")
            let receipt = try Data(contentsOf: URL(filePath: proof))
            for option in ["-o", "--record"] {
                let refused = try audit("prove", "--position", "1", option, proof)
                #expect(refused.status == 2 && refused.errors.contains("\(proof) exists already"), "\(refused.errors)")
            }
            #expect(try Data(contentsOf: URL(filePath: proof)) == receipt)
            let one = folder.file("one file for both")
            for record in [one, folder.file("./one file for both")] {
                #expect(try audit("prove", "--position", position, "-o", one, "--record", record).status == 64)
            }
            #expect(!FileManager.default.fileExists(atPath: one))
            #expect(try server.stop() == 0)
        }

        @Test("If no backup may be deleted, `backups --keep` says so")
        func nothingMayGo() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = folder.file("copies")
            #expect(try audit("backup", "--in", copies).status == 0)
            let kept = try audit("backups", "--in", copies, "--keep", "3")
            #expect(kept.status == 0 && kept.lines.last?.hasPrefix("nothing may go: ") == true, "\(kept.output)")
            #expect(try audit("backups", "--in", copies, "--keep", "3", "--removable").output.isEmpty)
        }

        @Test("A backup that this user may not read is called unreadable, not damaged")
        func unreadable() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (copies, files) = (folder.file("copies"), FileManager.default)
            #expect(try audit("backup", "--in", copies).status == 0)
            try files.setAttributes([.posixPermissions: 0o755], ofItemAtPath: copies)
            let name = try #require(try files.contentsOfDirectory(atPath: copies).first { $0 != ".lock" })
            // Makes the backup unreadable for the user as whom the tool reads it. If root runs the tool, it acts as the data folder's
            // owner, who cannot read a backup of root with mode 700.
            try files.setAttributes([.posixPermissions: geteuid() == 0 ? 0o700 : 0], ofItemAtPath: copies + "/" + name)
            defer { try? files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: copies + "/" + name) }
            guard geteuid() == 0 else { return try unreadableLine(copies, name) }
            for path in [""] + (try files.subpathsOfDirectory(atPath: folder.data)) where !path.hasSuffix("lock.mdb") {
                try files.setAttributes([.ownerAccountID: 65_534, .groupOwnerAccountID: 65_534], ofItemAtPath: folder.data + "/" + path)
            }
            for path in try files.subpathsOfDirectory(atPath: folder.data) where path.hasSuffix("lock.mdb") {
                try files.removeItem(atPath: folder.data + "/" + path)
            }
            try unreadableLine(copies, name)
        }

        private func unreadableLine(_ copies: String, _ name: String) throws {
            let listed = try audit("backups", "--in", copies)
            #expect(listed.status == 1 && listed.output.hasPrefix("unreadable  \(copies)/\(name)"), "\(listed.output)\(listed.errors)")
        }

        @Test("The running settings have the name that a log gave itself")
        func ownName() throws {
            let server = try Server(data: folder.data, in: folder)
            let origin = try #require(server.client.send("GET", "/checkpoint").text.split(separator: "\n").first)
            let running = try run("greentea", ["config", "--running", "--data", folder.data])
            let line = running.lines.first { $0.hasPrefix("origin ") }
            #expect(line?.contains(origin) == true && line?.hasSuffix("the log's own name") == true, "\(running.output)")
            let next = try run("greentea", ["config", "--dev", "--data", folder.data])
            #expect(!next.output.contains("the running server has origin"), "\(next.output)")
            #expect(try server.stop() == 0)
        }

        @Test("After a change of the master key, `doctor` asks for a new copy of the keys")
        func rotated() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            #expect(try audit("backup", "--to", folder.file("copy"), "--keys", folder.file("keys")).status == 0)
            #expect(try audit("doctor").output.contains("ok  key copy: "))
            let next = folder.file("next.key")
            try String(repeating: "a", count: 64).write(toFile: next, atomically: true, encoding: .utf8)
            try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: next)
            let from = folder.data + "/master.key"
            let rotated = try run("greentea", ["key", "rotate", "--data", folder.data, "--from", from, "--to", next])
            #expect(rotated.status == 0 && rotated.output.contains("make a new copy"), "\(rotated.output)\(rotated.errors)")
            #expect(try audit("doctor").output.contains("warning  key copy: none is noted"))
        }

        /// Returns the code block of the runbook that contains a word.
        private func block(with word: String) throws -> String {
            let runbook = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy/RUNBOOK.md").standardized
            let parts = try String(contentsOf: runbook, encoding: .utf8).components(separatedBy: "\n```\n")
            return try #require(parts.first { $0.contains(word) && !$0.contains("\n#") })
        }

        @Test("The runbook's command for slow stamps has a line for each stage, also where nobody stamps")
        func slowStamps() throws {
            let server = try Server(data: folder.data, in: folder)
            let counter = try Counter.open(at: server)
            let customer = server.client
            try customer.signIn(1)
            let url = "http://127.0.0.1:\(server.port)"
            func measured(_ meanwhile: String) throws -> Finished {
                let command = try block(with: "sleep 20").replacing("sleep 20", with: meanwhile)
                let program = try Program("/bin/bash", ["-c", command], in: folder, environment: ["URL": url])
                return Finished(status: try program.wait(), output: program.output, errors: program.errors)
            }
            let idle = try measured("true")
            #expect(idle.lines.first?.contains(/^ +last 20 s +since the start$/) == true, "\(idle)")
            for (stage, line) in zip(["queue", "decide", "commit"], idle.lines.dropFirst()) {
                #expect(line.hasPrefix(stage) && line.contains(/\ none +[0-9]+\.[0-9]{2} ms, mean of [1-9][0-9]*$/), "\(line)")
            }
            #expect(idle.lines.suffix(2).first?.contains(/^http_request +none +none$/) == true, "\(idle)")
            #expect(idle.lines.count == 6 && idle.lines.last == "index: events to scan 0", "\(idle)")
            let stamp = [
                "curl -sS -o /dev/null -H 'Authorization: Bearer \(customer.token ?? "")' -H 'Content-Type: application/json'",
                "-H 'Idempotency-Key: slow' -d '{\"code\":\"\(try counter.code().code)\"}' \(url)/v1/stamps",
            ]
            let busy = try measured(stamp.joined(separator: " "))
            for stage in ["queue", "decide", "commit", "http_request"] {
                let line = try #require(busy.lines.first { $0.hasPrefix(stage) }, "\(busy)")
                #expect(line.contains(/\ +[0-9]+\.[0-9]{2} ms, mean of [1-9][0-9]* +[0-9]+\.[0-9]{2} ms, mean of [1-9]/), "\(line)")
            }
            #expect(try server.stop() == 0)
        }

        @Test("The runbook's command for a proof works for each of the positions that `who` names for one code")
        func twoProofs() throws {
            let server = try Server(data: folder.data, in: folder)
            let code = try codeOnTwoCards(at: server).code
            let verdict = try #require(try audit("who", code.code).lines.last)
            let positions = verdict.matches(of: /position ([0-9]+)/).map { String($0.output.1) }
            #expect(positions.count == 2, "\(verdict)")
            try eventually("the checkpoint covers the stamps") { try audit("prove", "--position", positions.last ?? "").status == 0 }
            let tool = try Products.path(of: "greentea-audit")
            let command = "cd '\(folder.path)'\n" + (try block(with: "-o \"stamp-")).replacing("greentea-audit", with: tool)
            for position in positions {
                let program = try Program("/bin/bash", ["-c", command], in: folder, environment: ["DATA": folder.data, "N": position])
                #expect(try program.wait() == 0, "\(program.errors)")
                #expect(program.errors.contains("proves  \(position) ") && program.output.contains("proved: event \(position) of "))
                #expect(FileManager.default.fileExists(atPath: folder.file("stamp-\(position).tlog-proof")))
            }
            #expect(try server.stop() == 0)
        }

        @Test("`doctor` says of the disk and of the log's map until when, also where no number is known")
        func untilWhen() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let lines = try audit("doctor").lines
            for subject in ["disk", "log map"] {
                let line = try #require(lines.first { $0.contains("  \(subject): ") })
                #expect(line.contains(", full in: not known in the log's first hour"), "\(line)")
            }
        }

        @Test("After a restore nobody knows whether all erasures are done, until its note is removed")
        func restored() throws {
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (copy, other) = (folder.file("copy"), folder.file("other"))
            #expect(try audit("backup", "--to", copy, "--keys", folder.file("keys")).status == 0)
            let made = try run("greentea-audit", ["restore", "--from", copy, "--data", other])
            let line = try #require(made.lines.first { $0.hasPrefix("keys  there are none") }, "\(made.output)")
            #expect(line.contains("`cp -a DATA.damaged/keys/. \(other)/keys`; else in a copy: `cp -a COPY/. \(other)/keys`"), "\(line)")
            for command in [["erasures"], ["who", "C989-9AT4", "--master-key-file", folder.data + "/master.key"]] {
                let refused = try run("greentea-audit", command + ["--data", other])
                let remedy = "there are no keys in \(other)/keys. Put them back, as the folder's owner: cp -a COPY/. \(other)/keys"
                #expect(refused.status == 2 && refused.errors.contains(remedy), "\(refused.errors)")
            }
            try FileManager.default.copyItem(atPath: folder.file("keys"), toPath: other + "/keys")
            let asked = try run("greentea-audit", ["erasures", "--data", other])
            #expect(asked.status == 1 && asked.lines.last?.hasPrefix("not known: restored from a backup of ") == true, "\(asked)")
            try FileManager.default.removeItem(atPath: other + "/last-restore")
            #expect(try run("greentea-audit", ["erasures", "--data", other]).lines == ["done  nobody was ever erased"])
        }

        @Test("A text message that does not leave is a warning of /readyz and a line of its own, until the next one leaves")
        func unsentMessage() throws {
            let place = folder.file("gateway")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            let server = try Server(data: folder.data, in: folder, options: ["--sms", "file:\(place)/messages"])
            let client = server.client
            func asked(_ phone: Int) throws -> Answer {
                try client.send("POST", "/v1/verifications", json: #"{"phone":"+861380013\#(phone)"}"#)
            }
            try FileManager.default.removeItem(atPath: place)
            let refused = try asked(1_001)
            #expect(refused.status == 503 && refused.text.contains("overloaded"), "\(refused.text)")
            let warned = try client.send("GET", "/readyz")
            #expect(warned.status == 200 && warned.text.contains(#""code":"textMessagesFail""#), "\(warned.text)")
            try FileManager.default.createDirectory(atPath: place, withIntermediateDirectories: true)
            #expect(try asked(1_002).status == 202)
            let well = try client.send("GET", "/readyz")
            #expect(!well.text.contains("textMessagesFail"), "\(well.text)")
            #expect(try server.stop() == 0)
            let log = server.program.errors
            #expect(log.contains(" error textMessage.failed ") && !log.contains("request.failed"), "\(log)")
        }
    }
}
