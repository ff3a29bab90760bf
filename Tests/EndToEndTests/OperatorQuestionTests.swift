import Foundation
import Testing

extension EndToEnd {
    /// Answers of the tools to an operator's questions: each remedy works as it is printed.
    @Suite struct OperatorQuestionTests {
        private func run(_ name: String, _ arguments: [String], _ folder: TemporaryFolder) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func audit(_ arguments: String..., in folder: TemporaryFolder) throws -> Finished {
            try run("greentea-audit", arguments + ["--data", folder.data], folder)
        }

        private static let runbook = URL(filePath: #filePath).deletingLastPathComponent()
            .appending(path: "../../Tools/deploy/RUNBOOK.md").standardized

        @Test("The command that the checkup prints for a backup is the runbook's, and works as printed")
        func backupRemedy() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let line = try #require(try audit("doctor", in: folder).lines.first { $0.hasPrefix("warning  backup: none is noted") })
            let command = try #require(line.components(separatedBy: "→ ").last)
            let general = command.replacing(folder.data, with: "DATA")
            #expect(try String(contentsOf: Self.runbook, encoding: .utf8).contains("`\(general)`"), "\(general)")
            let words = command.replacing("BACKUPS", with: folder.file("copies")).split(separator: " ").map(String.init)
            let made = try run(words[0], Array(words.dropFirst()), folder)
            #expect(made.status == 0, "\(made.errors)")
            #expect(try audit("doctor", in: folder).output.contains("ok  backup: "))
        }

        @Test("After a backup without the keys, `doctor` warns, and the command that it prints ends the warning")
        func keysRemedy() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            #expect(try audit("backup", "--in", folder.file("copies"), in: folder).status == 0)
            let line = try #require(try audit("doctor", in: folder).lines.first { $0.hasPrefix("warning  key copy: none is noted") })
            let command = try #require(line.components(separatedBy: "→ ").last)
            let general = command.replacing(folder.data, with: "DATA")
            #expect(try String(contentsOf: Self.runbook, encoding: .utf8).contains("`\(general)`"), "\(general)")
            let named = command.replacing("BACKUPS", with: folder.file("copies")).replacing("COPY", with: folder.file("copied-keys"))
            let words = named.split(separator: " ").map(String.init)
            let made = try run(words[0], Array(words.dropFirst()), folder)
            #expect(made.status == 0, "\(made.errors)")
            #expect(try audit("doctor", in: folder).output.contains("ok  key copy: "))
            let old = Date(timeIntervalSinceNow: -36 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: old], ofItemAtPath: folder.data + "/last-key-backup")
            #expect(try audit("doctor", in: folder).output.contains("warning  key copy: the last good one was 36 days ago"))
            let drill = try audit("drill", "--scratch", folder.path, in: folder)
            #expect(drill.status == 0 && drill.lines.last?.hasPrefix("keys  not rehearsed") == true, "\(drill.output)")
        }

        @Test("An increment copies the keys although nothing else is new")
        func keysAlone() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (copies, keys) = (folder.file("copies"), folder.file("copied-keys"))
            #expect(try audit("backup", "--in", copies, in: folder).status == 0)
            let made = try audit("backup", "--in", copies, "--incremental", "--keys", keys, in: folder)
            #expect(made.status == 0, "\(made.errors)")
            #expect(made.output.contains("nothing new since") && made.output.contains("keys to \(keys)"), "\(made.output)")
            #expect(FileManager.default.fileExists(atPath: keys + "/data.mdb"))
            #expect(try audit("doctor", in: folder).output.contains("ok  key copy: "))
        }

        @Test("If no account was ever erased, the report of erasures says so, and is valid JSON on request")
        func nobodyErased() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let text = try audit("erasures", in: folder)
            #expect(text.status == 0 && text.lines == ["done  nobody was ever erased"], "\(text.output)")
            let json = try audit("erasures", "--json", in: folder)
            #expect(json.status == 0 && json.lines == [#"{"done":true,"erasures":0}"#], "\(json.output)")
        }

        @Test("The folder's own keys may be named as a copy, also by a link; a folder without keys is reported as such")
        func ownKeys() throws {
            let folder = try TemporaryFolder()
            let server = try AuditTests.story(in: folder)
            let customer = server.client
            try customer.signIn(2)
            let (files, keys, earlier) = (FileManager.default, folder.data + "/keys", folder.file("earlier"))
            try files.copyItem(atPath: keys, toPath: earlier)
            #expect(try customer.send("DELETE", "/v1/me").status == 204)
            #expect(try server.stop() == 0)
            let (copy, link) = (folder.file("copy-of-keys"), folder.file("link"))
            #expect(try audit("backup", "--to", folder.file("copy"), "--keys", copy, in: folder).status == 0)
            try FileManager.default.createSymbolicLink(atPath: link, withDestinationPath: folder.data + "/keys")
            for own in [folder.data + "/keys", folder.data, link] {
                let finished = try audit("erasures", "--keys", own, "--keys", copy, "--keys", copy, "--json", in: folder)
                #expect(finished.status == 0, "\(own): \(finished.errors)")
                #expect(finished.lines.count == 2 && finished.lines.last == #"{"done":true,"erasures":1}"#, "\(finished.output)")
            }
            let none = try audit("erasures", "--keys", folder.file("copy"), in: folder)
            #expect(none.status == 2 && none.errors.contains("there are no keys in \(folder.file("copy"))"), "\(none.errors)")
            // A kill during the erasure leaves the key in the folder's own keys.
            try files.removeItem(atPath: keys)
            try files.moveItem(atPath: earlier, toPath: keys)
            let unfinished = try audit("erasures", in: folder)
            #expect(unfinished.status == 1 && unfinished.output.contains("(the folder's own keys: the next start"), "\(unfinished.output)")
        }

        @Test("`who` with an id that is no code names the `history` command, and `history` with a typed code names the `who` command")
        func otherKinds() throws {
            let folder = try TemporaryFolder()
            let server = try AuditTests.story(in: folder)
            let events = try run("greentea-replay", ["--data", folder.data], folder).output
            let card = try #require(events.firstMatch(of: /card_[0-9a-z]{26}/))
            #expect(try server.stop() == 0)
            let quiet = try audit("history", String(card.output), "--since", "0s", in: folder)
            #expect(quiet.status == 1 && quiet.errors.contains("since then; what happened to it is earlier"), "\(quiet.errors)")
            let never = try audit("history", "card_01hv5x0000e008000000000000", "--since", "0s", in: folder)
            #expect(never.status == 1 && never.errors.contains("at no time"), "\(never.errors)")
            #expect(!never.errors.contains("since then"), "\(never.errors)")
            for prefix in ["card", "shop", "camp", "acct", "rev", "img", "ntc", "inv", "ses", "print"] {
                let id = "\(prefix)_" + card.output.dropFirst(5)
                let refused = try audit("who", id, in: folder)
                #expect(refused.status == 64 && refused.errors.contains("greentea-audit history \(id) --data"), "\(refused.errors)")
                let life = try audit("history", id, in: folder)
                #expect(life.status == (prefix == "card" ? 0 : 1), "\(id): \(life.errors)")
            }
            let typed = try audit("history", "C989-9AT4", in: folder)
            #expect(typed.status == 64 && typed.errors.contains("greentea-audit who C989-9AT4"), "\(typed.errors)")
        }

        @Test("The settings of the running server are shown on request, and the output says whose settings it shows")
        func runningSettings() throws {
            let folder = try TemporaryFolder()
            func config(_ more: String...) throws -> Finished {
                try run("greentea", ["config", "--data", folder.data, "--dev"] + more, folder)
            }
            let before = try config()
            #expect(before.lines.first == "settings of a start with these flags, variables and file; no server runs on \(folder.data)")
            #expect(try config("--running").status == 2)
            let server = try Server(data: folder.data, in: folder, options: ["--log-level", "debug", "--operator", "+8613800131001"])
            let own = try config("--running")
            #expect(own.status == 0, "\(own.errors)")
            let whose = "settings of the server that runs on \(folder.data): process \(server.program.pid), "
            #expect(own.lines.first?.hasPrefix(whose) == true, "\(own.output)")
            #expect(own.output.contains(/logLevel +debug +flag --log-level/) && !own.output.contains("13800131001"), "\(own.output)")
            let beside = try config()
            #expect(beside.output.contains(/logLevel +info +default/), "\(beside.output)")
            #expect(beside.lines.first?.contains("process \(server.program.pid)") == true)
            #expect(beside.output.contains("note: the running server has logLevel debug (flag --log-level)"), "\(beside.output)")
            let path = folder.data + "/running-settings"
            #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? NSNumber == 0o600)
            server.kill()
            let killed = try config("--running")
            #expect(killed.status == 2 && killed.errors.contains("no server runs on \(folder.data)"), "\(killed.errors)")
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            #expect(!FileManager.default.fileExists(atPath: path))
        }

        @Test("A printed command in which a word still stands for a folder is refused, and makes nothing")
        func placeWords() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            for arguments in [
                ["backup", "--in", "BACKUPS"], ["backup", "--in", folder.file("copies"), "--keys", "COPY"], ["drill", "--scratch", "DIR"],
            ] {
                let tool = try Products.path(of: "greentea-audit")
                let command = "cd '\(folder.path)' && '\(tool)' \(arguments.joined(separator: " ")) --data '\(folder.data)'"
                let refused = try run("/bin/sh", ["-c", command], folder)
                #expect(refused.status == 64 && refused.errors.contains("stands for a folder of yours"), "\(refused)")
                for path in ["BACKUPS", "COPY", "DIR", "copies"] { #expect(!FileManager.default.fileExists(atPath: folder.file(path))) }
            }
        }

        @Test("The remedies of the size report name the folder to delete, and the generation that a rebuild keeps")
        func sizes() throws {
            let folder = try TemporaryFolder()
            let server = try AuditTests.story(in: folder)
            func line(_ part: String) throws -> String {
                try #require(try audit("size", in: folder).lines.first { $0.hasPrefix(part + "  ") })
            }
            #expect(try line("index").contains("delete \(folder.data)/derived/index"))
            #expect(try line("card-progress").contains("greentea-rebuild --data \(folder.data) --model card-progress --discard-old"))
            let rebuild = ["--data", folder.data, "--model", "card-progress"]
            #expect(try run("greentea-rebuild", rebuild, folder).status == 0)
            let kept = try line("card-progress")
            #expect(kept.contains("greentea-rebuild --data \(folder.data) --model card-progress --forget-old"), "\(kept)")
            #expect(try run("greentea-rebuild", rebuild + ["--forget-old"], folder).status == 0)
            #expect(try line("card-progress").contains("--discard-old"))
            #expect(try server.stop() == 0)
        }
    }
}
