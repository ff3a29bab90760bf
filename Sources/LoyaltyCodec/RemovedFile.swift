public import EventLog
internal import Foundation

/// A file of a data folder that is not there, and the remedy, which is the same in every program. While a process still has the file open,
/// nothing is lost: the system keeps the content until the process ends.
public struct RemovedFile: Sendable {
    private let path: String
    /// The process that has the file open, and the path below `/proc` under which it can be copied; nil if this user sees none.
    private let open: (process: String, path: String)?

    /// Looks for a process that has the file open, which takes milliseconds.
    ///
    /// - Parameter processes: the folder of the system's processes; replaced in tests.
    public init(_ path: String, processes: String = "/proc") {
        self.path = path
        let place = Self.resolved(path) + " (deleted)"
        let files = FileManager.default
        func entries(_ folder: String) -> [String] {
            ((try? files.contentsOfDirectory(atPath: folder)) ?? []).filter { Int($0) != nil }.sorted { Int($0) ?? 0 < Int($1) ?? 0 }
        }
        var found: (process: String, path: String)?
        for process in entries(processes) {
            let folder = "\(processes)/\(process)/fd"
            let link = entries(folder).first { (try? files.destinationOfSymbolicLink(atPath: "\(folder)/\($0)")) == place }
            guard let link else { continue }
            found = (process, "\(folder)/\(link)")
            break
        }
        open = found
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
        let folder = (path as NSString).deletingLastPathComponent
        return "Process \(open.process) still has it open, so nothing is lost: before that process ends, as the folder's owner: "
            + "`mkdir -m 700 -p \(folder) && cp \(open.path) \(path)`; then restart the service"
    }

    /// The remedy for the process that has the file open itself, also for a file that was moved.
    public var ownRemedy: String {
        let general = "Before the process ends, copy the open file to that place, as the folder's owner; then restart the service"
        return (copyBack ?? general) + "."
    }
}

extension RemovedFile {
    /// The remedy for keys that are not there.
    public static func remedy(ofKeys folder: String) -> String {
        Self(folder + "/data.mdb").copyBack ?? "Put them back, as the folder's owner: cp -a COPY/. \(folder)"
    }

    /// The error for a data folder whose log is not there although other files are of one; nil if the log is there or there was none.
    public static func lostLog(of data: DataFolder) -> EventLogError? {
        let files = FileManager.default
        // A restore that was cut off leaves the last two.
        let others = [data.checkpoint, data.keys + "/data.mdb", data.assembledLog + ".partial", data.log + ".partial"]
        guard let left = others.first(where: files.fileExists), !files.fileExists(atPath: data.log + "/data.mdb") else { return nil }
        let save = Self(data.log + "/data.mdb").copyBack ?? "A restore that was cut off is repeated with the same command"
        return EventLogError(.logLost, "\(left) is of a log whose file is not in \(data.log). \(save). The runbook has more under logLost.")
    }
}
