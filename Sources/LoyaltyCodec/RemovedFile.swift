public import EventLog
internal import Foundation

/// A missing file of a data folder, and the remedy. While a process has the file open, the system keeps the content and tells where it was
/// moved to.
public struct RemovedFile: Sendable {
    private let path: String
    /// The path is below `/proc`; nil if this user sees no such process.
    private let open: (process: String, path: String)?

    /// Looks for a process that has the file open, which takes milliseconds. A moved file is found if its folder got a longer name, such as
    /// `keys.damaged`.
    ///
    /// - Parameter processes: the folder of the system's processes; replaced in tests.
    public init(_ path: String, processes: String = "/proc") {
        self.path = path
        let place = Self.resolved(path)
        func entries(_ folder: String) -> [String] {
            let names = (try? FileManager.default.contentsOfDirectory(atPath: folder)) ?? []
            return names.filter { Int($0) != nil }.sorted { Int($0) ?? 0 < Int($1) ?? 0 }
        }
        var found: (process: String, path: String)?
        for process in entries(processes) {
            let folder = "\(processes)/\(process)/fd"
            let link = entries(folder).first { Self.isFile("\(folder)/\($0)", removedFrom: place) }
            guard let link else { continue }
            found = (process, "\(folder)/\(link)")
            break
        }
        open = found
    }

    /// The file may have been moved anywhere.
    ///
    /// - Parameter open: the path of the open file, `/proc/PROCESS/fd/NUMBER`.
    public init(_ path: String, openAs open: String) {
        self.path = path
        self.open = ("\(ProcessInfo.processInfo.processIdentifier)", open)
    }

    private static func isFile(_ link: String, removedFrom place: String) -> Bool {
        guard let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link) else { return false }
        if target == place + removal { return true }
        let (folder, moved) = (Self.folder(of: place), Self.folder(of: target))
        // A restore that is not finished has moved no file.
        guard moved.hasPrefix(folder + "."), !moved.hasSuffix(".partial") else { return false }
        return !moved.dropFirst(folder.count).contains("/") && target == moved + place.dropFirst(folder.count)
    }

    private static let removal = " (deleted)"

    private static func folder(of path: String) -> String { (path as NSString).deletingLastPathComponent }

    private func moved(_ open: String) -> String? {
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: open)
        return target.flatMap { $0.hasSuffix(Self.removal) || !$0.hasPrefix("/") ? nil : $0 }
    }

    /// The absolute path without symbolic links, as the system shows that of an open file. The file's folder may be gone as well.
    private static func resolved(_ path: String) -> String {
        func real(_ folder: URL) -> URL? { FileManager.default.fileExists(atPath: folder.path) ? folder.resolvingSymlinksInPath() : nil }
        let file = URL(filePath: path).standardizedFileURL
        let folder = file.deletingLastPathComponent()
        let above = folder.deletingLastPathComponent()
        let place = real(folder) ?? (real(above) ?? above).appending(path: folder.lastPathComponent)
        return place.appending(path: file.lastPathComponent).path
    }

    /// How to save the open file, as a sentence without full stop; nil if no process has it open.
    public var copyBack: String? {
        guard let open else { return nil }
        let process = "Process \(open.process) still has it open"
        if let place = moved(open.path) {
            return "\(process), and it is now \(place), so nothing is lost: as the folder's owner: `\(move(from: place))`; "
                + "then restart the service"
        }
        return "\(process), so nothing is lost: before that process ends, as the folder's owner: "
            + "`\(freeing)cp \(open.path) \(path)`; then restart the service"
    }

    /// How to put back a folder that was renamed beside the file's, such as `keys.damaged`, as a sentence without full stop; nil if none
    /// was. It may be another one: a start refuses a damaged or foreign one.
    public var moveBack: String? {
        let home = URL(filePath: Self.folder(of: path)).standardizedFileURL.path
        let above = Self.folder(of: home)
        let names = ((try? FileManager.default.contentsOfDirectory(atPath: above)) ?? []).sorted()
        let place = names.map { "\(above)/\($0)\(path.dropFirst(Self.folder(of: path).count))" }.first {
            let folder = Self.folder(of: $0)
            return folder.hasPrefix(home + ".") && !folder.hasSuffix(".partial") && FileManager.default.fileExists(atPath: $0)
        }
        return place.map { "If \(Self.folder(of: $0)) is what was here, as the folder's owner: `\(move(from: $0))`" }
    }

    private func move(from place: String) -> String {
        let (folder, now) = (Self.folder(of: path), Self.folder(of: place))
        let isFolder = !FileManager.default.fileExists(atPath: folder) && place == now + path.dropFirst(folder.count)
        return isFolder ? "mv \(now) \(folder)" : "\(freeing)mv \(place) \(path)"
    }

    private var freeing: String {
        FileManager.default.fileExists(atPath: path) ? "mv \(path) \(path).other && " : "mkdir -m 700 -p \(Self.folder(of: path)) && "
    }

    /// The remedy for the process that has the file open itself.
    public var ownRemedy: String { copyBack.map { $0 + "." } ?? "" }
}

extension RemovedFile {
    /// The remedy for keys that are not there.
    public static func remedy(ofKeys folder: String) -> String {
        let file = Self(folder + "/data.mdb")
        let copy = "Put them back, as the folder's owner: cp -a COPY/. \(folder)"
        return file.copyBack ?? file.moveBack.map { "\($0). Otherwise: \(copy)" } ?? copy
    }

    /// The error for a data folder whose log is not there although other files are of one; nil if the log is there or there was none.
    public static func lostLog(of data: DataFolder) -> EventLogError? {
        let files = FileManager.default
        // A restore that was cut off leaves the last two.
        let others = [data.checkpoint, data.keys + "/data.mdb", data.assembledLog + ".partial", data.log + ".partial"]
        guard let left = others.first(where: files.fileExists), !files.fileExists(atPath: data.log + "/data.mdb") else { return nil }
        let file = Self(data.log + "/data.mdb")
        // After a cut-off restore, the other folder is the one that it replaces.
        let moveBack = left.hasSuffix(".partial") ? nil : file.moveBack
        let save = file.copyBack ?? moveBack ?? "A restore that was cut off is repeated with the same command"
        return EventLogError(.logLost, "\(left) is of a log whose file is not in \(data.log). \(save). The runbook has more under logLost.")
    }
}
