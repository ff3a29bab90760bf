import Foundation
import Testing

extension EndToEnd {
    /// Mistyped and copied data folders. A start must not begin an empty shop in a mistyped folder, and no server serves a copied folder.
    @Suite struct MistypedFolderTests {
        private let folder: TemporaryFolder

        init() throws { folder = try TemporaryFolder() }

        private func run(_ name: String, _ arguments: String...) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func expectRefused(_ data: String, _ reason: String) throws {
            let before = try FileManager.default.contentsOfDirectory(atPath: data).filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }
            for arguments in [["serve", "--dev", "--listen", "127.0.0.1:0", "--data", data], ["config", "--dev", "--data", data]] {
                let program = try Program("greentea", arguments, in: folder)
                #expect(try program.wait() == 2 && program.errors.contains(reason), "\(arguments): \(program.errors)")
            }
            let after = try FileManager.default.contentsOfDirectory(atPath: data).filter { !$0.hasSuffix(".out") && !$0.hasSuffix(".err") }
            #expect(Set(after) == Set(before), "nothing was made")
        }

        @Test("No shop is begun inside a data folder, in a folder of data folders, or in one that holds something else")
        func refused() throws {
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
            try expectRefused(folder.data + "/log", "it lies inside the data folder or backup ")
            try expectRefused(folder.data + "/derived/models", "it lies inside the data folder or backup ")
            try expectRefused(folder.path, "there is no log in it, but data")
            let strange = folder.file("strange")
            try FileManager.default.createDirectory(atPath: strange + "/letters", withIntermediateDirectories: true)
            try expectRefused(strange, "there is no log in it, but letters.")
            #expect(try Server(data: folder.data, in: folder).stop() == 0)
        }

        @Test("A new folder may hold the files that the settings name; `config` says that a new shop would begin")
        func begun() throws {
            let missing = try run("greentea", "config", "--dev", "--data", folder.data)
            #expect(missing.status == 0, "\(missing.errors)")
            let note = "note: \(folder.data) does not exist: a start would begin a new shop there"
            #expect(missing.output.contains(note), "\(missing.output)")
            try FileManager.default.createDirectory(atPath: folder.data, withIntermediateDirectories: true)
            for name in ["sent", "chain.pem", ".profile"] { try Data().write(to: URL(filePath: folder.data + "/" + name)) }
            let options = ["--sms", "file:" + folder.data + "/sent"]
            let program = try Program("greentea", ["config", "--dev", "--data", folder.data] + options, in: folder)
            #expect(try program.wait() == 0 && program.output.contains("has no log: a start would begin a new shop"), "\(program.errors)")
            #expect(try Server(data: folder.data, in: folder, options: options).stop() == 0)
            #expect(try !run("greentea", "config", "--dev", "--data", folder.data).output.contains("a new shop"))
        }

        @Test("A copy of a folder that is served is not called served")
        func copied() throws {
            let server = try AuditTests.story(in: folder)
            let copy = folder.file("copy")
            try FileManager.default.copyItem(atPath: folder.data, toPath: copy)
            let served = "server: process \(server.program.pid) serves the folder"
            #expect(try run("greentea-audit", "doctor", "--data", folder.data).output.contains(served))
            #expect(try run("greentea-audit", "doctor", "--data", copy).output.contains("warning  server: none that"))
            #expect(try run("greentea", "config", "--running", "--data", folder.data).status == 0)
            let running = try run("greentea", "config", "--running", "--data", copy)
            #expect(running.status == 2 && running.errors.contains("no server runs on"), "\(running)")
            #expect(try server.stop() == 0)
        }
    }
}
