import EventLog
import Faults
import Foundation
import Seeds
import Testing

/// Compares the recording with the files that the child left. If the recorder missed a write, no simulated power cut would ever lose that
/// write.
@Suite struct RecorderTests {
    private static let seed = SeededRandom.announced("RecorderTests").seed

    /// This test fails if a library begins to write with a system call that the recorder does not record.
    @Test("A replay of the whole journal gives the folders and files that the child left")
    func theJournalLeadsToTheVeryFolderThatTheChildLeft() throws {
        let recording = try Recording(seed: Self.seed)
        var disk = DiskModel()
        for record in try recording.records() { try disk.apply(record) }
        var random = SeededRandom(seed: 1)
        let image = disk.image(.everything, &random), left = try DiskImage(folder: recording.written)
        #expect(image.folders == left.folders)
        #expect(image.files.keys.sorted() == left.files.keys.sorted())
        for (path, bytes) in left.files where !path.hasSuffix("lock.mdb") {
            // The files are compared outside the expectation, because a failed expectation would print both of them.
            let isEqual = image.files[path] == bytes
            #expect(isEqual, "\(path)")
        }
    }

    /// LMDB writes the pages, flushes them, and then writes the meta page with a descriptor that waits for the disk. `strace` shows the
    /// same order of calls.
    @Test("A commit flushes the pages and then the meta page before it is acknowledged")
    func aCommitIsFlushedTwiceBeforeItIsAcknowledged() throws {
        let recording = try Recording(seed: Self.seed)
        var flushes = 0, throughs = 0, acknowledgements = 0
        for record in try recording.records() {
            switch record {
            case .flushed("log/data.mdb", _): flushes += 1
            case .wroteThrough("log/data.mdb", _):
                throughs += 1
                #expect(flushes == throughs, "the meta page is written after the other pages were flushed")
            case _ where Journal.said(record) != nil:
                acknowledgements += 1
                #expect(throughs >= acknowledgements)
            default: break
            }
        }
        #expect(acknowledgements == recording.commits)
    }

    /// A run of the index is flushed only once, after its last byte was written and before a manifest names the run. Commits do not flush
    /// it.
    @Test("A run of the index is flushed once, after its last byte")
    func aRunOfTheIndexIsFlushedOnceBeforeItIsNamed() throws {
        var flushed: Set<String> = [], unflushed: Set<String> = []
        var manifests = 0
        for record in try Recording(seed: Self.seed).records() {
            switch record {
            case .made(let path) where path.hasPrefix("index/run-"): unflushed.insert(path)
            case .wrote(let path, _, _) where path.hasPrefix("index/run-"): #expect(!flushed.contains(path))
            case .flushed(let path, _) where path.hasPrefix("index/run-"):
                #expect(flushed.insert(path).inserted)
                unflushed.remove(path)
            case .renamed("index/manifest.new", _):
                manifests += 1
                // A run that a merge is still writing has not been flushed, and no manifest names it. There are never many such runs.
                #expect(unflushed.count <= 4)
            default: break
            }
        }
        #expect(flushed.count > 10 && manifests >= 10)
    }

    @Test("Derived data is flushed at most once in ten writes, and never written through")
    func derivedDataIsNotFlushedByCommits() throws {
        let records = try Recording(seed: Self.seed).records()
        let writes = records.filter { if case .wrote("rows/data.mdb", _, _) = $0 { true } else { false } }
        let flushes = records.filter { if case .flushed("rows/data.mdb", _) = $0 { true } else { false } }
        #expect(writes.count > 10 * flushes.count && !flushes.isEmpty)
        #expect(!records.contains { if case .wroteThrough("rows/data.mdb", _) = $0 { true } else { false } })
    }

    @Test("The recorded child sees a boot id of its own")
    func theChildLivesInABootOfItsOwn() throws {
        let records = try Recording(seed: Self.seed, commits: 1).records()
        let boot = Array(Recording.bootID.utf8)
        #expect(records.contains { if case .wrote("rows/state", _, let bytes) = $0 { bytes.contains(boot) } else { false } })
    }

    @Test("The child acknowledges the commits of its seed, and its folder is whole")
    func theChildSaysWhatItsSeedMakes() throws {
        let recording = try Recording(seed: Self.seed, commits: 20)
        let expected = try ExpectedLog(seed: Self.seed, commits: 20)
        let said = try recording.records().compactMap { Journal.said($0) }
        #expect(said.count == 20)
        #expect(said.allSatisfy { expected.agrees(with: $0) })
        #expect(said.last?.head == expected.head)
        let outcome = LogCheck(expected, acknowledged: said.last).outcome(of: LogFolders(in: recording.written))
        #expect(outcome == .whole(expected.head))
    }
}
