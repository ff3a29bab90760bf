import Foundation
import Testing

extension EndToEnd {
    /// Commands in the remedies of errors and findings, which the tests run exactly as they are printed.
    @Suite struct PrintedRemedyTests {
        private func run(_ name: String, _ arguments: [String], _ folder: TemporaryFolder) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func shell(_ command: String, _ folder: TemporaryFolder) throws {
            let finished = try run("/bin/sh", ["-c", command], folder)
            #expect(finished.status == 0, "\(command): \(finished.errors)")
        }

        /// Returns the command in a text that begins with `start` and is enclosed in backquotes.
        private func command(_ start: String, in text: String) throws -> String {
            try #require(text.split(separator: "`").map(String.init).first { $0.hasPrefix(start) }, "\(text)")
        }

        /// Backs up a folder and its keys, and returns the paths of the copies.
        private func backUp(_ folder: TemporaryFolder) throws -> (copy: String, keys: String) {
            let (copy, keys) = (folder.file("copy"), folder.file("copied-keys"))
            let made = try run("greentea-audit", ["backup", "--data", folder.data, "--to", copy, "--keys", keys], folder)
            #expect(made.status == 0, "\(made.errors)")
            return (copy, keys)
        }

        private func refusedStart(_ folder: TemporaryFolder) throws -> String {
            let refused = try run("greentea", ["serve", "--dev", "--data", folder.data, "--listen", "127.0.0.1:0"], folder)
            #expect(refused.status == 2, "\(refused)")
            return refused.errors
        }

        @Test("Keys that are gone are put back by the printed command, and the server starts")
        func keys() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = try backUp(folder)
            try FileManager.default.removeItem(atPath: folder.data + "/keys")
            let printed = try command("cp -a COPY", in: refusedStart(folder))
            try shell(printed.replacing("COPY", with: copies.keys), folder)
            let server = try Server(data: folder.data, in: folder)
            try server.client.signIn(1)
            #expect(try server.stop() == 0)
            let runbook = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "../../Tools/deploy/RUNBOOK.md").standardized
            let general = printed.replacing(folder.data, with: "DATA")
            #expect(try String(contentsOf: runbook, encoding: .utf8).contains("`\(general)`"), "\(general)")
        }

        @Test("An emptied folder is restored by the printed command, and the server starts")
        func emptied() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copies = try backUp(folder)
            for name in ["keys", "log", "derived"] { try FileManager.default.removeItem(atPath: folder.data + "/" + name) }
            let printed = try command("greentea-audit restore", in: refusedStart(folder))
            let command = printed.replacing("BACKUP", with: copies.copy).replacing("COPY", with: copies.keys)
            let words = command.split(separator: " ").map(String.init)
            let restored = try run(words[0], Array(words.dropFirst()), folder)
            #expect(restored.status == 0, "\(command): \(restored.errors)")
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
        }

        @Test("A log without its checkpoint is compared with a copy of one by the printed command")
        func checkpoint() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let copy = try backUp(folder).copy
            try FileManager.default.removeItem(atPath: folder.data + "/checkpoint")
            let doctor = try run("greentea-audit", ["doctor", "--data", folder.data], folder)
            let line = try #require(doctor.lines.first { $0.hasPrefix("warning  checkpoint: there is none") }, "\(doctor.output)")
            let key = try String(contentsOfFile: copy + "/checkpoint.vkey", encoding: .utf8).trimmingCharacters(in: .whitespacesAndNewlines)
            let printed = try #require(line.components(separatedBy: "greentea-audit ").last)
            let words = printed.split(separator: " ").map { ["FILE": copy + "/checkpoint", "KEY": key][String($0)] ?? String($0) }
            let verified = try run("greentea-audit", words, folder)
            #expect(verified.status == 0 && verified.output.contains("clean"), "\(words): \(verified)")
        }

        @Test("A key that others can read is closed by the printed command, and no flag is named that the command lacks")
        func readableKey() throws {
            let folder = try TemporaryFolder()
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            let (old, new) = (folder.data + "/master.key", folder.file("next.key"))
            try String(repeating: "a", count: 64).write(toFile: new, atomically: true, encoding: .utf8)
            for path in [old, new] { try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: path) }
            let arguments = ["key", "rotate", "--data", folder.data, "--from", old, "--to", new]
            for path in [old, new] {
                let refused = try run("greentea", arguments, folder)
                #expect(refused.status == 2 && !refused.errors.contains("--allow"), "\(refused)")
                let printed = try #require(refused.errors.firstMatch(of: /chmod 600 [^ ,]+/)?.output)
                #expect(printed.hasSuffix(path))
                try shell(String(printed), folder)
            }
            let rotated = try run("greentea", arguments, folder)
            #expect(rotated.status == 0, "\(rotated.errors)")
        }
    }
}
