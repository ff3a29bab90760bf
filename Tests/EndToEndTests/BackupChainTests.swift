import Foundation
import Testing

extension EndToEnd {
    /// Increments that real processes make beside a running server, as timers do.
    @Suite struct BackupChainTests {
        private func backUp(_ folder: TemporaryFolder, _ more: String...) throws -> Finished {
            let program = try Program(
                "greentea-audit", ["backup", "--data", folder.data, "--in", folder.file("copies")] + more, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        private func names(_ folder: TemporaryFolder) throws -> [String] {
            try FileManager.default.contentsOfDirectory(atPath: folder.file("copies")).filter { $0 != ".lock" }.sorted()
        }

        @Test("Backups by timers beside a server form a chain, which one command restores, and --prune never breaks the kept chain")
        func chain() throws {
            let folder = try TemporaryFolder()
            let server = try AuditTests.story(in: folder)
            #expect(try backUp(folder, "--incremental").output.contains("backed up"), "the first backup is full")
            #expect(try backUp(folder, "--incremental").output.hasPrefix("nothing new since"))
            #expect(try server.stop() == 0)
            let again = try Server(data: folder.data, in: folder)
            try again.client.signIn(2)
            let second = try backUp(folder, "--incremental")
            #expect(second.status == 0 && second.output.contains("after "), "\(second.output)\(second.errors)")
            #expect(try again.stop() == 0)
            let listed = try Program.run(
                "greentea-audit", "backups", "--data", folder.data, "--in", folder.file("copies"), "--verify", "--keep", "1", "--prune",
                in: folder)
            #expect(listed.status == 0 && listed.output.contains("increment of ") && !listed.output.contains("removed"), "\(listed)")
            let all = try names(folder)
            let last = try #require(all.last)
            #expect(all.count == 2)
            let other = folder.file("other")
            let restored = try Program.run(
                "greentea-audit", "restore", "--from", folder.file("copies") + "/" + last, "--data", other, in: folder)
            #expect(restored.status == 0, "\(restored.output)\(restored.errors)")
            let digests = try [folder.data, other].map { try Program.run("greentea-replay", "--data", $0, "--digest", in: folder).output }
            #expect(digests[0] == digests[1])
            #expect(try backUp(folder).status == 0, "another full backup is made")
            let removable = try Program.run(
                "greentea-audit", "backups", "--data", folder.data, "--in", folder.file("copies"), "--keep", "1", "--removable", in: folder)
            #expect(removable.lines == all.reversed().map { folder.file("copies") + "/" + $0 }, "\(removable)")
            #expect(removable.status == 0 && removable.errors.isEmpty, "\(removable)")
        }

        /// The lines of `backups`, with or without the data folder.
        private func listed(_ folder: TemporaryFolder, _ more: String...) throws -> Finished {
            let program = try Program("greentea-audit", ["backups", "--in", folder.file("copies")] + more, in: folder)
            let status = try program.wait()
            return Finished(status: status, output: program.output, errors: program.errors)
        }

        @Test("The moments that each chain restores to are listed, also when the data folder is damaged, or gone")
        func moments() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            #expect(try backUp(folder).status == 0)
            for number in [2, 3] {
                let server = try Server(data: folder.data, in: folder)
                try server.client.signIn(number)
                #expect(try server.stop() == 0)
                #expect(try backUp(folder, "--incremental").status == 0)
            }
            let whole = try listed(folder, "--data", folder.data)
            let ends = whole.output.matches(of: /restores to ([0-9]+ of [-0-9T:.]+Z)/).map { String($0.output.1) }
            try #require(whole.status == 0 && ends.count == 3, "\(whole)")
            let chain = try #require(whole.lines.last)
            #expect(chain.contains(ends[0]) && chain.contains(ends[2]) && chain.hasPrefix("moments  "), "\(chain)")
            let json = try #require(try listed(folder, "--data", folder.data, "--json").lines.last)
            #expect(json.contains(#""moments":[{"#) && json.matches(of: /"position":/).count == 3, "\(json)")
            let log = folder.data + "/log/data.mdb"
            try Data(try Data(contentsOf: URL(filePath: log)).prefix(9_000)).write(to: URL(filePath: log))
            let damaged = try listed(folder, "--data", folder.data)
            #expect(damaged.status == 1 && damaged.errors.contains(folder.data), "\(damaged)")
            try FileManager.default.removeItem(atPath: folder.data)
            let gone = try listed(folder, "--data", folder.data, "--verify")
            #expect(gone.status == 1 && gone.errors.contains(folder.data), "\(gone)")
            let alone = try listed(folder)
            #expect(alone.status == 0 && alone.errors.isEmpty, "\(alone)")
            for finished in [damaged, gone, alone] {
                #expect(finished.lines.count == 4 && finished.lines.allSatisfy { !$0.contains("lacks") }, "\(finished)")
                #expect(finished.lines.dropLast().allSatisfy { $0.hasPrefix("good  ") } && finished.lines.last == chain, "\(finished)")
            }
            #expect(try listed(folder, "--keep", "1").status == 64, "what may go is not told without the log")
        }

        @Test("Without the data folder, a copy of the keys is listed, and it says that erasures are not known")
        func keysAlone() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let keys = folder.file("keys")
            #expect(try backUp(folder, "--keys", keys).status == 0)
            let finished = try listed(folder, "--keys", keys)
            #expect(finished.status == 0 && finished.lines.last?.hasPrefix("unknown  \(keys)  ") == true, "\(finished)")
            #expect(try listed(folder, "--data", folder.data, "--keys", keys).lines.last?.hasPrefix("good  \(keys)  ") == true)
            try FileManager.default.removeItem(atPath: keys + "/data.mdb")
            let lost = try listed(folder, "--keys", keys)
            #expect(lost.status == 1 && lost.output.contains("there are no keys in \(keys)"), "\(lost)")
        }

        @Test("--removable ends with 1 if one of the backups is damaged, and prints paths only")
        func removableBesideDamage() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            for _ in 0..<3 { #expect(try backUp(folder).status == 0) }
            let (copies, all) = (folder.file("copies"), try names(folder))
            try #require(all.count == 3)
            try Data("no log".utf8).write(to: URL(filePath: copies + "/" + all[1] + "/log/data.mdb"))
            let removable = try Program.run(
                "greentea-audit", "backups", "--data", folder.data, "--in", copies, "--keep", "1", "--removable", in: folder)
            #expect(removable.status == 1 && removable.lines == [copies + "/" + all[0]], "\(removable)")
            #expect(removable.errors.contains("without --removable"), "\(removable.errors)")
        }

        @Test("A backup that is killed in the middle leaves a .partial folder, which the next attempt removes")
        func killed() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            #expect(try backUp(folder, "--through", "kill -9 $PPID").status == -SIGKILL)
            let left = try names(folder)
            #expect(left.count == 1 && left[0].hasSuffix(".partial"))
            #expect(try backUp(folder, "--incremental").status == 0)
            #expect(try names(folder).allSatisfy { !$0.hasSuffix(".partial") })
        }

        @Test("A backup that is killed while it is sent leaves no key")
        func killedWithKeys() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let keys = folder.file("keys")
            #expect(try backUp(folder, "--keys", keys, "--through", "kill -9 $PPID").status == -SIGKILL)
            for path in [keys, keys + ".partial"] { #expect(!FileManager.default.fileExists(atPath: path + "/data.mdb"), "\(path)") }
            #expect(try backUp(folder, "--keys", keys).status == 0)
            #expect(FileManager.default.fileExists(atPath: keys + "/data.mdb"))
        }

        @Test("--prune removes what a killed backup has left of the keys, and exits with 0 if all else is good")
        func prunedKeys() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let keys = folder.file("keys")
            #expect(try backUp(folder, "--keys", keys).status == 0)
            try FileManager.default.copyItem(atPath: keys, toPath: keys + ".partial")
            let arguments = ["backups", "--data", folder.data, "--in", folder.file("copies"), "--keys", keys]
            for (more, status) in [([], 1), (["--keep", "1", "--prune"], 0), ([], 0)] as [([String], Int32)] {
                let program = try Program("greentea-audit", arguments + more, in: folder)
                #expect(try program.wait() == status, "\(more) \(program.output)\(program.errors)")
            }
            #expect(!FileManager.default.fileExists(atPath: keys + ".partial"))
        }

        @Test("Backups and the drill name a picture that cannot be read and exit with 1, even if there are no new events")
        func unreadablePicture() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let name = String(repeating: "ab", count: 32)
            let shard = folder.data + "/blobs/ab"
            try FileManager.default.createDirectory(atPath: shard, withIntermediateDirectories: true)
            try FileManager.default.createSymbolicLink(atPath: shard + "/" + name, withDestinationPath: shard + "/none")
            for more in [[], ["--incremental"]] {
                let arguments = ["backup", "--data", folder.data, "--in", folder.file("copies")] + more
                let program = try Program("greentea-audit", arguments, in: folder)
                #expect(try program.wait() == 1 && program.output.contains("damaged picture, left out: \(name)"), "\(program.output)")
            }
            #expect(try names(folder).count == 1, "no increment is made if there is nothing new")
            let drill = try Program.run("greentea-audit", "drill", "--data", folder.data, "--scratch", folder.path, in: folder)
            #expect(drill.status == 1 && drill.output.contains("lost 1"), "\(drill.output)\(drill.errors)")
        }

        @Test("A restore leaves out a damaged picture, names it, exits with 1, and restores all else")
        func damagedPicture() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            #expect(try backUp(folder).status == 0)
            let name = String(repeating: "cd", count: 32)
            let blobs = folder.file("copies") + "/" + (try #require(try names(folder).first)) + "/blobs/cd"
            try FileManager.default.createDirectory(atPath: blobs, withIntermediateDirectories: true)
            try Data("changed".utf8).write(to: URL(filePath: blobs + "/" + name))
            let from = (blobs as NSString).deletingLastPathComponent + "/.."
            let restored = try Program.run("greentea-audit", "restore", "--from", from, "--data", folder.file("other"), in: folder)
            #expect(restored.status == 1 && restored.output.contains("damaged picture, left out: \(name)"), "\(restored.output)")
            #expect(restored.lines.last?.hasPrefix("restored  events ") == true, "\(restored.output)\(restored.errors)")
        }

        @Test("A failing command is named with its exit code, and leaves no backup")
        func failedCommand() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let failed = try backUp(folder, "--through", "cat > /dev/null; exit 9")
            #expect(failed.status == 2 && failed.errors.contains("ended with 9"), "\(failed)")
            #expect(try names(folder).isEmpty)
        }

        @Test("If full backups fail while increments succeed, `doctor` warns, and the command that it prints ends the warning")
        func failingFullBackups() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            func doctor() throws -> String { try Program.run("greentea-audit", "doctor", "--data", folder.data, in: folder).output }
            #expect(try doctor().contains("warning  full backup: none is noted"))
            #expect(try backUp(folder).status == 0)
            let note = folder.data + "/last-full-backup"
            let tenDaysAgo = Date(timeIntervalSinceNow: -10 * 86_400)
            try FileManager.default.setAttributes([.modificationDate: tenDaysAgo], ofItemAtPath: note)
            #expect(try backUp(folder, "--through", "cat > /dev/null; exit 9").status == 2)
            let server = try Server(data: folder.data, in: folder)
            try server.client.signIn(2)
            #expect(try server.stop() == 0)
            #expect(try backUp(folder, "--incremental").output.contains("after "))
            let said = try doctor()
            #expect(said.contains("ok  backup: ") && said.contains("warning  full backup: the last good one was 10 days ago"), "\(said)")
            #expect(try backUp(folder, "--wait", "60").status == 0)
            #expect(try doctor().contains("ok  full backup: "))
        }

        @Test("If only increments are sent to a store, the first one sent is a full backup, so that the store alone can be restored")
        func sentWithoutBase() throws {
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let store = folder.file("store")
            try FileManager.default.createDirectory(atPath: store, withIntermediateDirectories: true)
            let sent = ["--through", "tar -xf - -C '\(store)'"]
            #expect(try backUp(folder).status == 0)
            for number in 2...3 {
                let server = try Server(data: folder.data, in: folder)
                try server.client.signIn(number)
                #expect(try server.stop() == 0)
                let made = try backUp(folder, "--incremental", sent[0], sent[1])
                #expect(made.status == 0 && made.output.contains("after ") == (number == 3), "\(made)")
            }
            let last = try #require(try names(folder).last)
            let refused = try Program.run(
                "greentea-audit", "backup", "--data", folder.data, "--to", folder.file("copies") + "/x", "--parent",
                folder.file("copies") + "/" + (try names(folder)[0]), sent[0], sent[1], in: folder)
            #expect(refused.status == 2 && refused.errors.contains("leave --parent out"), "\(refused)")
            let other = folder.file("other")
            let restored = try Program.run("greentea-audit", "restore", "--from", store + "/" + last, "--data", other, in: folder)
            #expect(restored.status == 0, "\(restored.output)\(restored.errors)")
            let digests = try [folder.data, other].map { try Program.run("greentea-replay", "--data", $0, "--digest", in: folder).output }
            #expect(digests[0] == digests[1])
        }

        @Test("A backup that the disk has no room for is refused and leaves no file")
        func noRoom() throws {
            guard SmallDisk.isPossible else { return print("no room: skipped, this process may not mount a tmpfs") }
            let folder = try TemporaryFolder()
            #expect(try AuditTests.story(in: folder).stop() == 0)
            let disk = try SmallDisk(at: folder.file("copies"), bytes: 512 << 10)
            let refused = try backUp(folder)
            #expect(refused.status == 2 && refused.errors.contains("bytes left"), "\(refused)")
            #expect(try names(folder).isEmpty)
            try disk.resize(bytes: 64 << 20)
            #expect(try backUp(folder).status == 0)
        }

        @Test(
            "Options of a backup that exclude each other are refused",
            arguments: [
                ["--to", "a", "--in", "b"], ["--in", "b", "--parent", "a"], ["--to", "a", "--incremental"], ["--to", "a", "--wait", "1"],
            ])
        func wrongUse(arguments: [String]) throws {
            let folder = try TemporaryFolder()
            #expect(try Program("greentea-audit", ["backup", "--data", folder.data] + arguments, in: folder).wait() == 64)
        }
    }
}
