import Foundation
import Testing

extension EndToEnd {
    /// A log beside an old copy of its keys, which has no keys of the newest accounts.
    ///
    /// Without a warning, nobody would notice that these accounts are lost: if one of their holders signs in, the service makes a new
    /// account.
    @Suite struct OlderKeysTests {
        private let folder: TemporaryFolder
        private var other: String { folder.file("other") }

        init() throws { folder = try TemporaryFolder() }

        private func audit(_ arguments: String...) throws -> Finished {
            let program = try Program("greentea-audit", arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test("Restore, doctor and the start say how many accounts have no key in the copy, and nothing of a newer copy")
        func told() throws {
            let server = try AuditTests.story(in: folder)
            let (older, newer, copy) = (folder.file("older"), folder.file("newer"), folder.file("copy"))
            #expect(try audit("backup", "--data", folder.data, "--to", folder.file("first"), "--keys", older).status == 0)
            for number in [7, 8] { try server.client.signIn(number) }
            #expect(try audit("backup", "--data", folder.data, "--to", copy, "--keys", newer).status == 0)
            #expect(try server.stop() == 0)
            for (keys, lacks) in [(older, true), (newer, false)] {
                let restored = try audit("restore", "--from", copy, "--data", other, "--keys", keys)
                #expect(restored.status == 0, "\(restored)")
                #expect(restored.output.contains("keys  2 accounts of the log have no key here") == lacks, "\(restored.output)")
                let doctor = try audit("doctor", "--data", other)
                #expect(doctor.output.contains("warning  keys: 2 accounts of the log have no key here") == lacks, "\(doctor)")
                #expect(doctor.status == 0, "\(doctor)")
                try FileManager.default.copyItem(atPath: folder.data + "/master.key", toPath: other + "/master.key")
                let started = try Server(data: other, in: folder)
                #expect(started.program.errors.contains("keys.older") == lacks, "\(started.program.errors)")
                try started.client.signIn(9)
                #expect(try started.stop() == 0)
                let later = try audit("doctor", "--data", other)
                #expect(later.output.contains("; 1 have registered since") == lacks, "\(later)")
                try FileManager.default.removeItem(atPath: other)
            }
        }
    }
}
