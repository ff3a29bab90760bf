import EventLog
import Foundation
import Testing

@testable import LoyaltyCodec

/// Files that were removed, and the processes that still have them open.
@Suite struct RemovedFileTests {
    private let folder = FileManager.default.temporaryDirectory.resolvingSymlinksInPath().path + "/removed-\(UUID().uuidString)"
    private var data: DataFolder { DataFolder(folder + "/data") }
    private var file: String { data.log + "/data.mdb" }

    private func make(_ path: String, linkedTo target: String? = nil) throws {
        let files = FileManager.default
        let above = (path as NSString).deletingLastPathComponent
        try files.createDirectory(atPath: above, withIntermediateDirectories: true)
        guard let target else { return try Data("x".utf8).write(to: URL(filePath: path)) }
        try files.createSymbolicLink(atPath: path, withDestinationPath: target)
    }

    @Test("A process that has the removed file open is named with the command that saves the file, also if the folder is gone")
    func open() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let processes = folder + "/proc"
        try make(processes + "/7/fd/3", linkedTo: "/dev/null")
        try make(processes + "/41/fd/12", linkedTo: file + " (deleted)")
        for path in [data.keys + "/data.mdb", file] {
            try make(path)
            #expect(RemovedFile(data.keys + "/data.mdb", processes: processes).copyBack == nil)
            let found = RemovedFile(file, processes: processes).copyBack
            #expect(found?.contains("Process 41 ") == true, "\(found as Any)")
            #expect(found?.contains("&& cp \(processes)/41/fd/12 \(file)`") == true, "\(found as Any)")
        }
    }

    @Test("A process that has the moved file open is named with the command that moves the file back")
    func moved() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let (processes, moved) = (folder + "/proc", data.log + ".damaged/data.mdb")
        try make(data.checkpoint)
        // A restore that was cut off, another file, and a folder below.
        for (number, other) in [".partial/data.mdb", ".damaged/lock.mdb", ".damaged/more/data.mdb", "/data.mdb"].enumerated() {
            try make(processes + "/7/fd/\(number)", linkedTo: data.log + other)
        }
        #expect(RemovedFile(file, processes: processes).copyBack == nil)
        try make(processes + "/41/fd/12", linkedTo: moved)
        let back = "`mv \(data.log).damaged \(data.log)`"
        let found = try #require(RemovedFile(file, processes: processes).copyBack)
        #expect(found.contains("Process 41 ") && found.contains(moved) && found.contains(back), "\(found)")
        // As this process sees its own file, which may be anywhere.
        let elsewhere = folder + "/elsewhere/log/data.mdb"
        for place in [moved, elsewhere] {
            try make(place)
            let handle = try #require(FileHandle(forReadingAtPath: place))
            defer { try? handle.close() }
            let own = RemovedFile(file, openAs: "/proc/\(ProcessInfo.processInfo.processIdentifier)/fd/\(handle.fileDescriptor)")
            let to = (place as NSString).deletingLastPathComponent
            #expect(own.ownRemedy.contains("`mv \(to) \(data.log)`; then restart"), "\(own.ownRemedy)")
            try FileManager.default.removeItem(atPath: place)
            #expect(own.ownRemedy.contains("`mkdir -m 700 -p \(data.log) && cp /proc/"), "\(own.ownRemedy)")
        }
        // Another file has taken its place.
        try make(file)
        try make(moved)
        let replaced = try #require(RemovedFile(file, processes: processes).copyBack)
        #expect(replaced.contains("`mv \(file) \(file).other && mv \(moved) \(file)`"), "\(replaced)")
    }

    @Test("A log is lost only if other files are of one, and an open file of this process is found in /proc")
    func lost() throws {
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try make(folder + "/data/other")
        #expect(RemovedFile.lostLog(of: data) == nil)
        for cutOff in [data.log + ".partial", data.log + ".assembled.partial"] {
            try make(cutOff + "/data.mdb")
            #expect(RemovedFile.lostLog(of: data)?.detail.contains(cutOff) == true, "a restore was cut off")
            try FileManager.default.removeItem(atPath: cutOff)
        }
        try make(data.checkpoint)
        #expect(RemovedFile.lostLog(of: data)?.code == .logLost)
        #expect(RemovedFile.lostLog(of: data)?.detail.contains("`mv ") == false)
        try make(data.log + ".damaged/data.mdb")
        #expect(RemovedFile.lostLog(of: data)?.detail.contains("`mv \(data.log).damaged \(data.log)`") == true)
        try FileManager.default.removeItem(atPath: data.log + ".damaged")
        try make(file)
        #expect(RemovedFile.lostLog(of: data) == nil)
        let handle = try #require(FileHandle(forReadingAtPath: file))
        try FileManager.default.removeItem(atPath: data.log)
        let own = "cp /proc/\(ProcessInfo.processInfo.processIdentifier)/fd/\(handle.fileDescriptor) \(file)"
        #expect(RemovedFile.lostLog(of: data)?.detail.contains(own) == true)
        try handle.close()
        #expect(RemovedFile.lostLog(of: data)?.detail.contains("/proc/") == false)
    }
}
