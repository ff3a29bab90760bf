import Archive
import Audit
import EventLog
import Foundation
import Histories
import Testing

/// Increments, which are backups of only the new events and pictures, and the restore of a full backup together with its increments.
@Suite struct IncrementTests {
    private func free() -> String { TestData().path + "/data" }

    private func error(_ body: () throws -> Void) -> AuditError? { #expect(throws: AuditError.self) { try body() } }

    @Test("A chain is restored to the same log and pictures as the original")
    func chain() throws {
        let (fixture, pictures) = try ChainFixture.chain("chain")
        let target = free()
        #expect(try fixture.restore("inc2", to: target).isClean)
        let roots = try [fixture.data.path, target].map { try AuditedFolder($0).log(.readOnly).root() }
        #expect(roots[0] == roots[1])
        for name in pictures { #expect(FileManager.default.fileExists(atPath: target + "/blobs/\(name.prefix(2))/\(name)")) }
        #expect(!FileManager.default.fileExists(atPath: ChainRestore.scratch(for: target)))
        #expect(try fixture.restore("inc1", to: free()).report.head == Position(600), "each backup of a chain restores to its own position")
    }

    @Test("An increment has what its parent lacks, and nothing else")
    func onlyNew() throws {
        let fixture = try ChainFixture("only new")
        let first = try fixture.put("first")
        try fixture.grow(to: 600)
        let one = try #require(try fixture.increment("inc1", onto: "full"))
        #expect(one.after == 300 && one.events == 600 && one.pictures == 1)
        let second = try fixture.put("second")
        let two = try #require(try fixture.increment("inc2", onto: "inc1"))
        #expect(two.after == 600 && two.events == 600 && two.pictures == 1, "a new picture alone makes an increment")
        let blobs = FileManager.default.subpaths(atPath: fixture.place + "/inc2/blobs") ?? []
        #expect(blobs.contains { $0.hasSuffix(second) } && !blobs.contains { $0.hasSuffix(first) })
        #expect(try fixture.increment("inc3", onto: "inc2") == nil)
        #expect(!FileManager.default.fileExists(atPath: fixture.place + "/inc3"), "without anything new, no folder is made")
    }

    @Test("A picture that was taken down does not come back, whether or not the log grew", arguments: [300, 900])
    func takenDown(end: Int) throws {
        let fixture = try ChainFixture("taken down")
        let (gone, stays) = (try fixture.put("gone"), try fixture.put("stays"))
        let moment = Date(timeIntervalSince1970: 1_700_000_000)
        func path(_ name: String, in data: String) -> String { "\(data)/blobs/\(name.prefix(2))/\(name)" }
        let files = FileManager.default
        try files.setAttributes([.modificationDate: moment], ofItemAtPath: path(stays, in: fixture.data.path))
        _ = try Backup(of: fixture.folder, to: fixture.place + "/base").run()
        try files.removeItem(atPath: path(gone, in: fixture.data.path))
        try fixture.grow(to: end)
        let made = try #require(try fixture.increment("inc1", onto: "base"))
        #expect(made.events == UInt64(end) && made.pictures == 0)
        #expect(try fixture.increment("inc2", onto: "inc1") == nil)
        let (target, earlier) = (free(), free())
        #expect(try fixture.restore("inc1", to: target).isClean)
        #expect(!files.fileExists(atPath: path(gone, in: target)))
        #expect(try files.attributesOfItem(atPath: path(stays, in: target))[.modificationDate] as? Date == moment)
        #expect(try fixture.restore("base", to: earlier).isClean)
        #expect(files.fileExists(atPath: path(gone, in: earlier)), "the picture existed at the time of the full backup")
    }

    @Test("A damaged picture is not new, and no restore needs it")
    func damagedPicture() throws {
        let fixture = try ChainFixture("damaged picture")
        let (whole, damaged) = (try fixture.put("whole"), try fixture.put("damaged"))
        try Data("changed".utf8).write(to: URL(fileURLWithPath: "\(fixture.data.path)/blobs/\(damaged.prefix(2))/\(damaged)"))
        try fixture.renewFull()
        #expect(try fixture.increment("inc1", onto: "full") == nil && fixture.increment("inc1", onto: "full") == nil)
        try fixture.grow(to: 600)
        let made = try #require(try fixture.increment("inc1", onto: "full"))
        #expect(made.pictures == 0 && made.damagedPictures == [damaged])
        #expect(try fixture.increment("inc2", onto: "inc1") == nil)
        let later = try fixture.put("later")
        #expect(try fixture.increment("inc2", onto: "inc1")?.pictures == 1, "an undamaged picture is new")
        let target = free()
        #expect(try fixture.restore("inc2", to: target).isClean)
        let restored = (FileManager.default.subpaths(atPath: target + "/blobs") ?? []).filter { $0.utf8.count > 64 }
        #expect(Set(restored.map { String($0.suffix(64)) }) == [whole, later])
    }

    @Test(
        "A damaged file of any backup in a chain is named, with what can still be restored",
        arguments: ["inc2/increment", "inc2/events", "inc1/increment", "inc1/events", "inc2/checkpoint"])
    func damage(path: String) throws {
        let sample = try PublishedSample(of: ChainFixture("damage").data)
        let fixture = try ChainFixture.signed(sample)
        try fixture.flip(path)
        let target = free()
        let found = error { _ = try fixture.restore("inc2", to: target) }
        let link = path.prefix(4)
        let rest = link == "inc2" ? "inc1 still restores to position 601" : "full still restores to position 301"
        #expect(found?.code == .damaged && found?.detail.contains("/\(link) is damaged") == true, "\(String(describing: found))")
        #expect(found?.remedy.contains(rest) == true, "\(String(describing: found))")
        #expect(!FileManager.default.fileExists(atPath: target))
    }

    @Test(
        "The list and the next increment refuse a backup whose events are missing or cut short, without reading them",
        arguments: [nil, 0, 100])
    func sizes(bytes: Int?) throws {
        let (fixture, _) = try ChainFixture.chain("sizes")
        let events = URL(fileURLWithPath: fixture.place + "/inc1/events")
        let left = try bytes.map { try Data(contentsOf: events).prefix($0) }
        try FileManager.default.removeItem(at: events)
        try left?.write(to: events)
        let standings = try fixture.list().copies.map(\.standing)
        guard standings.count == 3, case .good = standings[0], case .damaged(let why) = standings[1], case .broken = standings[2] else {
            Issue.record("\(standings)")
            return
        }
        #expect(why.contains("its file events"))
        try fixture.grow(to: 900)
        #expect(auditCode { _ = try fixture.increment("inc3", onto: "inc2") } == .damaged)
        #expect(!FileManager.default.fileExists(atPath: fixture.place + "/inc3"))
    }

    @Test("A damaged full backup leaves nothing to restore, and the error says so")
    func damagedBase() throws {
        let (fixture, _) = try ChainFixture.chain("damaged base")
        let file = URL(fileURLWithPath: fixture.place + "/full/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        for page in 2..<bytes.count / 4_096 { bytes[(page + 1) * 4_096 - 9] ^= 1 }
        try bytes.write(to: file)
        let found = error { _ = try fixture.restore("inc2", to: free()) }
        #expect(found?.code == .damaged && found?.detail.contains("/full is damaged") == true, "\(String(describing: found))")
        #expect(found?.remedy.contains("No other backup beside it can be restored") == true, "\(String(describing: found))")
        try Data().write(to: file)
        let empty = error { _ = try fixture.restore("inc2", to: free()) }
        #expect(empty?.detail.contains("..") == false, "\(String(describing: empty))")
    }

    @Test("A missing link is named, with the backup that needs it and what can still be restored")
    func missing() throws {
        let (fixture, _) = try ChainFixture.chain("missing")
        try FileManager.default.removeItem(atPath: fixture.place + "/inc1")
        let found = error { _ = try fixture.restore("inc2", to: free()) }
        #expect(found?.code == .missing && found?.detail.contains("inc1 is missing") == true, "\(String(describing: found))")
        #expect(found?.remedy.contains("full still restores to position 300") == true, "\(String(describing: found))")
        #expect(try fixture.list().copies.count { if case .broken = $0.standing { true } else { false } } == 1)
        #expect(throws: AuditError.self) { try fixture.increment("inc3", onto: "inc2") }
    }

    @Test(
        "The backup before a damaged or missing one is named as what still restores, whoever asks, with pictures or without",
        arguments: [("inc1", 300, "full"), ("inc2", 600, "inc1")], [false, true])
    func remainder(_ link: (name: String, events: Int, rest: String), isMissing: Bool) throws {
        let (withPictures, _) = try ChainFixture.chain("what is left")
        let without = try ChainFixture("what is left without pictures")
        for (name, parent, end) in [("inc1", "full", 600), ("inc2", "inc1", 900)] {
            try without.grow(to: end)
            _ = try #require(try without.increment(name, onto: parent))
        }
        for fixture in [withPictures, without] {
            let path = "\(fixture.place)/\(link.name)"
            if isMissing { try FileManager.default.removeItem(atPath: path) } else { try fixture.flip("\(link.name)/events") }
            let rest = "Without it, \(fixture.place)/\(link.rest) still restores to position \(link.events)."
            if !isMissing || link.name != "inc2" {
                let restored = error { _ = try fixture.restore("inc2", to: free()) }
                #expect(restored?.remedy.hasSuffix(rest) == true, "\(String(describing: restored))")
            }
            let faults = try fixture.list(verifying: true).unsound.compactMap(\.fault)
            let count = (link.name == "inc1" ? 2 : 1) - (isMissing ? 1 : 0)
            #expect(faults.count == count && faults.allSatisfy { $0.hasSuffix(rest) }, "\(faults)")
            // An increment compares only its parent's files with their digests.
            if isMissing || link.name == "inc2" {
                let made = error { _ = try fixture.increment("inc3", onto: "inc2") }
                #expect(made?.remedy.hasSuffix(rest) == true, "\(String(describing: made))")
            }
            #expect(try fixture.restore(link.rest, to: free()).isClean)
        }
    }

    @Test("A full backup with a damaged head page is damaged, and not another backup", arguments: [0, 1])
    func head(page: Int) throws {
        let (fixture, _) = try ChainFixture.chain("damaged head")
        let file = URL(fileURLWithPath: fixture.place + "/full/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        bytes.replaceSubrange(page * 4_096..<(page + 1) * 4_096, with: Data(count: 4_096))
        try bytes.write(to: file)
        let found = error { _ = try fixture.restore("inc2", to: free()) }
        let what = "/full is damaged: the log's file \(file.path) is damaged: page \(page):"
        #expect(found?.code == .damaged && found?.detail.contains(what) == true, "\(String(describing: found))")
        let faults = try fixture.list().unsound.compactMap(\.fault)
        #expect(faults.count == 3 && faults.allSatisfy { $0.contains(what) }, "\(faults)")
    }

    @Test("Another backup under the parent's name is not accepted as the parent")
    func exchanged() throws {
        let (fixture, _) = try ChainFixture.chain("exchanged")
        try FileManager.default.removeItem(atPath: fixture.place + "/inc1")
        try FileManager.default.copyItem(atPath: fixture.place + "/full", toPath: fixture.place + "/inc1")
        let found = error { _ = try fixture.restore("inc2", to: free()) }
        #expect(found?.code == .damaged && found?.detail.contains("goes on from position 600") == true, "\(String(describing: found))")
        #expect(found?.remedy.contains("full still restores to position 300") == true, "\(String(describing: found))")
    }

    @Test("A full backup in the place of a chain's first one is named as what still restores")
    func renewedFull() throws {
        let (fixture, _) = try ChainFixture.chain("renewed full")
        try fixture.renewFull()
        let found = error { _ = try fixture.restore("inc2", to: free()) }
        let rest = "As it is, \(fixture.place)/full still restores to position 900"
        #expect(found?.code == .damaged && found?.remedy.contains(rest) == true, "\(String(describing: found))")
        let faults = try fixture.list().unsound.compactMap(\.fault)
        #expect(faults.count == 2 && faults.allSatisfy { $0.contains(rest) }, "\(faults)")
    }

    @Test("A parent of another log and a parent with more events than the log are refused")
    func strangers() throws {
        let (fixture, _) = try ChainFixture.chain("strangers")
        let other = try ChainFixture("other log")
        try other.grow(to: 600)
        let foreign = Increment(of: try other.folder, onto: fixture.place + "/full", to: fixture.place + "/x")
        #expect(auditCode { _ = try foreign.run() } == .input)
        let ahead = Increment(of: try other.folder, onto: fixture.place + "/inc2", to: fixture.place + "/x")
        #expect(auditCode { _ = try ahead.run() } == .backwards)
        #expect(!FileManager.default.fileExists(atPath: fixture.place + "/x"))
    }

    @Test("A damaged record is not copied, and no unfinished backup is left")
    func damagedLog() throws {
        let fixture = try ChainFixture("damaged record")
        try fixture.grow(to: 900)
        let file = URL(fileURLWithPath: fixture.data.path + "/log/data.mdb")
        var bytes = try Data(contentsOf: file)
        for page in 2..<bytes.count / 4_096 { bytes[(page + 1) * 4_096 - 9] ^= 1 }
        try bytes.write(to: file)
        #expect(auditCode { _ = try fixture.increment("inc1", onto: "full") } == .damaged)
        #expect(try FileManager.default.contentsOfDirectory(atPath: fixture.place) == ["full"])
    }

    @Test("The list shows the kind, the parent and the positions of each backup, and the beginning of each chain")
    func lists() throws {
        let (fixture, _) = try ChainFixture.chain("lists")
        let list = try fixture.list(verifying: true)
        #expect(list.isWell, "\(list.copies)")
        #expect(list.copies.map(\.kind) == [.full, .increment(parent: "full", after: 300), .increment(parent: "inc1", after: 600)])
        #expect(list.copies.map(\.events) == [300, 600, 900])
        #expect(list.copies[2].chain == ["full", "inc1", "inc2"].map { fixture.place + "/" + $0 })
        try fixture.flip("inc1/events")
        #expect(try fixture.list().isWell, "a list reads only the descriptions and the sizes")
        #expect(try !fixture.list(verifying: true).isWell)
    }

    @Test(
        "No increment is made onto one whose file was changed and kept its size, but onto the newest whole one",
        arguments: ["events", "checkpoint"])
    func changedParent(file: String) throws {
        let fixture = try ChainFixture.signed(PublishedSample(of: ChainFixture("changed parent").data))
        try fixture.flip("inc2/" + file)
        let found = error { _ = try fixture.increment("inc3", onto: "inc2") }
        let what = "/inc2 is damaged: its file \(file)"
        #expect(found?.code == .damaged && found?.detail.contains(what) == true, "\(String(describing: found))")
        #expect(found?.remedy.contains("inc1 still restores to position 601") == true, "\(String(describing: found))")
        #expect(!FileManager.default.fileExists(atPath: fixture.place + "/inc3"))
        let shelf = try BackupShelf(fixture.place)
        let list = try shelf.list(of: fixture.folder)
        #expect(shelf.newest(in: list) == fixture.place + "/inc1")
        #expect(list.unsound.map(\.path) == [fixture.place + "/inc2"], "so `backup --incremental` names it: \(list.copies)")
    }

    @Test(
        "A full backup's checkpoint that is gone or damaged concerns that backup alone, for the list and a restore",
        arguments: [nil, 0, 40])
    func checkpoint(bytes: Int?) throws {
        let fixture = try ChainFixture("checkpoint")
        let signer = PublishedSample(of: fixture.data)
        try signer.grow(by: 0)
        try fixture.renewFull()
        for (name, parent, end) in [("inc1", "full", 600), ("inc2", "inc1", 900)] {
            try fixture.grow(to: end)
            try signer.grow(by: 0)
            _ = try fixture.increment(name, onto: parent)
        }
        let file = fixture.place + "/full/checkpoint"
        let left = try bytes.map { try Data(contentsOf: URL(filePath: file)).prefix($0) }
        try FileManager.default.removeItem(atPath: file)
        try left?.write(to: URL(filePath: file))
        for verifying in [false, true] {
            let list = try fixture.list(verifying: verifying)
            #expect(list.copies.map(\.lacksCheckpoint) == [bytes == nil, false, false])
            #expect(list.unsound.map(\.path) == (bytes == nil ? [] : [fixture.place + "/full"]), "\(list.copies)")
            guard let why = list.unsound.first?.fault else { continue }
            #expect(why.contains("As it is, \(fixture.place)/inc2 still restores to position 900"), "\(why)")
            #expect(why.contains("`mv \(file) \(file).damaged`"), "\(why)")
        }
        func isRestored(_ name: String, until end: UInt64? = nil) throws -> Bool {
            let bound = end.map { ReplayBound.position(Position($0)) }
            return try ChainRestore(from: fixture.place + "/" + name, to: free(), until: bound, options: ChainFixture.options).run().isClean
        }
        #expect(try isRestored("inc1") && isRestored("inc2") && isRestored("inc2", until: 500) && isRestored("full", until: 200))
        #expect(try isRestored("full") == (bytes == nil))
        guard bytes != nil else { return }
        try FileManager.default.moveItem(atPath: file, toPath: file + ".damaged")
        #expect(try isRestored("full") && fixture.list().isWell, "the remedy works to the letter")
    }
}

extension ChainFixture {
    /// The path of a picture's file in a backup.
    func path(of name: String, in backup: String) -> String { "\(place)/\(backup)/blobs/\(name.prefix(2))/\(name)" }

    /// Makes the backups `full`, `inc1` and `inc2` of a signed log. Before each of them, events are appended and the log is signed.
    static func signed(_ sample: PublishedSample) throws -> ChainFixture {
        let fixture = ChainFixture(signing: sample)
        for (name, parent) in [("full", nil), ("inc1", "full"), ("inc2", "inc1")] {
            _ = try fixture.put(name)
            try sample.grow(by: name == "full" ? 1 : 300)
            if let parent {
                _ = try fixture.increment(name, onto: parent)
            } else {
                _ = try Backup(of: fixture.folder, to: fixture.place + "/full").run()
            }
        }
        return fixture
    }
}
