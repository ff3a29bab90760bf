import Foundation
import Testing

extension EndToEnd {
    /// Tools that root runs on another user's data folder.
    @Suite(.enabled(if: geteuid() == 0, "only root can act as somebody else")) struct RootsFilesTests {
        private static let owner = 65_534

        /// Changes the owner of everything below a folder, except LMDB's lock files. Removes the lock files, because they are also missing
        /// after a restore.
        private func give(_ path: String) throws {
            let files = FileManager.default
            for name in [""] + (try files.subpathsOfDirectory(atPath: path)) {
                let file = path + "/" + name
                if file.hasSuffix("/lock.mdb") {
                    try files.removeItem(atPath: file)
                } else {
                    try files.setAttributes([.ownerAccountID: Self.owner, .groupOwnerAccountID: Self.owner], ofItemAtPath: file)
                }
            }
        }

        private func rootsFiles(in path: String) throws -> [String] {
            let files = FileManager.default
            return try files.subpathsOfDirectory(atPath: path).filter { name in
                try files.attributesOfItem(atPath: path + "/" + name)[.ownerAccountID] as? NSNumber == 0
            }
        }

        private func run(_ name: String, _ arguments: [String], _ folder: TemporaryFolder) throws -> Finished {
            let program = try Program(name, arguments, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test("No file of root is left in another user's data folder and backups")
        func nothingLeft() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let backups = folder.file("copies")
            try FileManager.default.createDirectory(atPath: backups, withIntermediateDirectories: true)
            for path in [folder.data, backups] { try give(path) }
            let given = ["--data", folder.data]
            let commands: [[String]] = [
                ["doctor"], ["verify"], ["size"], ["erasures"], ["who", "C989-9AT4"], ["checkpoint"], ["prove", "--position", "1"],
                ["export"], ["backup", "--in", backups], ["backup", "--in", backups, "--incremental"],
                ["backups", "--in", backups, "--verify"], ["backups", "--in", backups, "--keep", "1", "--prune"],
            ]
            for command in commands {
                let finished = try run("greentea-audit", command + given, folder)
                let expected: Int32 = command[0] == "who" ? 1 : 0
                #expect(finished.status == expected, "\(command): \(finished.output.suffix(500)) \(finished.errors)")
                for path in [folder.data, backups] {
                    let left = try rootsFiles(in: path)
                    #expect(left.isEmpty, "\(command) leaves \(left) in \(path)")
                }
            }
            for command in [["--digest"], ["--compare"], ["snapshots", "--every", "5"]] {
                let arguments = command[0] == "snapshots" ? command + given : given + command
                let finished = try run("greentea-replay", arguments, folder)
                #expect(finished.status == 0, "\(command): \(finished.errors)")
                #expect(try rootsFiles(in: folder.data).isEmpty, "\(command)")
            }
        }

        @Test("`greentea config` leaves no file of root in another user's data folder either")
        func configuration() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            try give(folder.data)
            let finished = try run("greentea", ["config", "--dev", "--data", folder.data], folder)
            #expect(finished.status == 0, "\(finished)")
            let left = try rootsFiles(in: folder.data)
            #expect(left.isEmpty, "\(left)")
        }

        @Test("An output folder that the data's owner cannot write is refused, with the command that makes a suitable one")
        func refused() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            try give(folder.data)
            let place = folder.file("copies")
            for command in [["backup", "--in", place], ["backup", "--to", place], ["export", "--output", place]] {
                let finished = try run("greentea-audit", command + ["--data", folder.data], folder)
                let isTold = finished.errors.contains("user 65534 cannot write \(place)") && finished.errors.contains("install -d -o 65534")
                #expect(finished.status == 2 && isTold, "\(finished.errors)")
                #expect(!FileManager.default.fileExists(atPath: place))
            }
        }

        @Test("An error says that a data folder is in a place that its owner or this user may not enter, and not that it is none")
        func closedAbove() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let (closed, files) = (folder.file("private"), FileManager.default)
            try files.createDirectory(atPath: closed, withIntermediateDirectories: true)
            try files.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed)
            try files.moveItem(atPath: folder.data, toPath: closed + "/data")
            try files.createSymbolicLink(atPath: folder.data, withDestinationPath: closed + "/data")
            try give(closed + "/data")
            for (name, arguments) in [("greentea-audit", ["doctor"]), ("greentea", ["config", "--dev"]), ("greentea-rebuild", [])] {
                let asRoot = try run(name, arguments + ["--data", folder.data], folder)
                #expect(asRoot.status == 2 && asRoot.errors.contains("cannot enter \(closed)"), "\(name): \(asRoot.errors)")
                #expect(asRoot.errors.contains("User=greentea"), "\(name): \(asRoot.errors)")
            }
            let owner = ["--reuid=65534", "--regid=65534", "--clear-groups", try Products.path(of: "greentea-audit")]
            let other = try run("/usr/bin/setpriv", owner + ["doctor", "--data", folder.data], folder)
            #expect(other.status == 2 && other.errors.contains("may not be read by this user"), "\(other.errors)")
            #expect(!other.errors.contains("is no GreenTea data folder"), "\(other.errors)")
            // The remedy is to move the folder to a place that its owner can reach.
            try files.removeItem(atPath: folder.data)
            try files.moveItem(atPath: closed + "/data", toPath: folder.data)
            let well = try run("greentea-audit", ["doctor", "--data", folder.data], folder)
            #expect(well.status == 0 && well.output.contains("ok  owner"), "\(well.output)\(well.errors)")
        }

        @Test("The service's user restores a chain where nothing but the data folder may be written")
        func chain() throws {
            let folder = try TemporaryFolder()
            let (backups, target) = (folder.file("copies"), folder.file("other"))
            for visitor in 1...2 {
                let server = try visitor == 1 ? AuditTests.story(in: folder) : Server(data: folder.data, in: folder)
                if visitor == 2 { try server.client.signIn(2) }
                #expect(try server.stop() == 0)
                #expect(try run("greentea-audit", ["backup", "--in", backups, "--incremental", "--data", folder.data], folder).status == 0)
            }
            let last = try #require(try FileManager.default.contentsOfDirectory(atPath: backups).filter { $0 != ".lock" }.max())
            try FileManager.default.createDirectory(atPath: target, withIntermediateDirectories: true)
            for path in [target, backups] { try give(path) }
            let restore = ["restore", "--from", backups + "/" + last, "--data", target]
            let refused = try run("greentea-audit", restore, folder)
            #expect(refused.status == 2 && refused.errors.contains("setpriv --reuid=65534"), "\(refused.errors)")
            let owner = ["--reuid=65534", "--regid=65534", "--clear-groups", try Products.path(of: "greentea-audit")]
            let restored = try run("/usr/bin/setpriv", owner + restore, folder)
            #expect(restored.status == 0 && restored.output.contains("restored  events"), "\(restored.output)\(restored.errors)")
            #expect(try rootsFiles(in: target).isEmpty)
        }

        @Test("A folder that only root may enter is named in the error, with a remedy")
        func closedFolder() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            try give(folder.data)
            let closed = folder.file("closed")
            try FileManager.default.createDirectory(
                atPath: closed + "/copies", withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
            try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: closed)
            let refused = try run("greentea-audit", ["backup", "--in", closed + "/copies", "--data", folder.data], folder)
            #expect(refused.status == 2 && refused.errors.contains("user 65534 cannot enter \(closed)"), "\(refused.errors)")
            let commands = refused.errors.matches(of: /install -d -o 65534 -g 65534 -m 700 DIR/)
            #expect(commands.count == 1 && refused.errors.contains("outside of \(closed)"), "\(refused.errors)")
            let place = folder.file("copies")
            let made = try Program("/usr/bin/install", ["-d", "-o", "65534", "-g", "65534", "-m", "700", place], in: folder)
            #expect(try made.wait() == 0)
            let done = try run("greentea-audit", ["backup", "--in", place, "--data", folder.data], folder)
            #expect(done.status == 0, "\(done.errors)")
        }
    }
}
