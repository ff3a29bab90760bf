import Audit
import CommandService
import Foundation
import Histories
import LMDB
import LoyaltyCodec
import Testing

@testable import Archive
@testable import EventLog
@testable import Projections

/// The remedy of an error suits its cause and the file that it is about.
@Suite struct RemedyTests {
    private let torn = LMDBError.damagedContent("page 7 is torn", in: "/data/some")

    @Test("No error says that a damaged file may be deleted, and that of a model says who rebuilds it")
    func damagedFiles() {
        let (log, audit) = (EventLogError(torn), AuditError(any: torn))
        for text in ["\(torn)", log.remedy, "\(log)", "\(audit)"] {
            #expect(!text.contains("derived") && !text.contains("delete"), "\(text)")
        }
        #expect(log.remedy.contains("restore the log from a backup") && audit.remedy.contains("The log is damaged"))
        let index = EventLogError.brokenIndex("the file of run 7")
        #expect(index.remedy.contains("by itself") && !index.remedy.contains("backup"), "\(index)")
        let model = ReadModelError(any: torn, model: "cards")
        #expect("\(model)".contains("rebuilds it") && !"\(model)".contains("backup"), "\(model)")
    }

    @Test("A model that the storage stopped names the remedy of that cause, once")
    func stoppedModels() {
        let unknown = ReadModelError(.storage, model: "cards", "made by a test")
        #expect(!unknown.remedy.contains("Free space") && unknown.remedy.contains("start again"), "\(unknown.remedy)")
        let causes: [(any Error, String)] = [
            (POSIXError(.ENOSPC), "Free space"), (POSIXError(.EACCES), "permissions"), (POSIXError(.EROFS), "remount,rw"),
        ]
        for (cause, word) in causes {
            let error = ReadModelError(any: cause, model: "cards")
            #expect(error.remedy.contains(word) && error.remedy.contains("start again"), "\(error.remedy)")
            #expect("\(error)".components(separatedBy: word).count == 2, "\(error)")
            for (_, other) in causes where other != word { #expect(!error.remedy.contains(other), "\(error.remedy)") }
        }
    }

    @Test("Tools and the service name the same error and remedy for a removed log and for removed keys")
    func removedFiles() throws {
        let sample = try AuditSample("removed files")
        let data = DataFolder(sample.data.path)
        let master = try MasterSecret(bytes: Array(repeating: 7, count: 32))
        do { _ = try KeyStore(directory: data.keys, master: master, randomness: SystemRandomness()) }
        func keys() throws -> Checkup.Line? {
            try Checkup(of: AuditedFolder(data.path), now: Timestamp(microseconds: 0)).lines.first { $0.subject == "keys" }
        }
        try FileManager.default.moveItem(atPath: data.keys, toPath: data.keys + ".kept")
        let moveBack = "If \(data.keys).kept is what was here, as the folder's owner: `mv \(data.keys).kept \(data.keys)`"
        let copy = "Put them back, as the folder's owner: cp -a COPY/. \(data.keys)"
        #expect(try keys()?.remedy == "\(moveBack). Otherwise: \(copy)")
        #expect("\(KeyStoreError.missing(path: data.keys))".contains(moveBack))
        try FileManager.default.moveItem(atPath: data.keys + ".kept", toPath: data.keys)
        func held(_ path: String, _ body: (_ command: String) throws -> Void) throws {
            let handle = try #require(FileHandle(forReadingAtPath: path))
            let kept = try Data(contentsOf: URL(filePath: path))
            try FileManager.default.removeItem(atPath: path)
            // The storage engine may have it open as well, under a lower number.
            try body("&& cp /proc/\(ProcessInfo.processInfo.processIdentifier)/fd/")
            try handle.close()
            try kept.write(to: URL(filePath: path))
        }
        try held(data.keys + "/data.mdb") { command in
            let remedy = try #require(keys()?.remedy)
            #expect(remedy == RemovedFile.remedy(ofKeys: data.keys) && remedy.contains(command), "\(remedy)")
            #expect("\(KeyStoreError.missing(path: data.keys))".contains(remedy))
        }
        try held(data.log + "/data.mdb") { command in
            let error = #expect(throws: AuditError.self) { _ = try AuditedFolder(data.path) }
            #expect(error?.code == .logLost && error?.detail.contains(command) == true, "\(error as Any)")
            let own = try #require(RemovedFile.lostLog(of: data))
            #expect(error?.detail == own.detail && error?.remedy == own.remedy)
        }
    }

    @Test("A full disk needs room, and no start")
    func fullDisk() {
        let line = Checkup.disk(.full, isFullSoon: false, "0 MiB free")
        #expect(line.remedy.contains("free space") && line.remedy.contains("by itself"), "\(line.remedy)")
        #expect(!line.remedy.contains("then start the service again"), "\(line.remedy)")
    }
}
