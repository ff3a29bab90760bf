import Audit
import Console
import Foundation
import Logging
import LoyaltyCodec
import ServiceLog

/// The settings of the server that runs on a data folder, stored in a file of that folder. `greentea config` reads the file, because it
/// runs in another process with other flags and environment variables.
struct RunningSettings: Codable {
    /// The id of the server's process.
    let process: Int
    /// The clock ticks from the boot to the start of the process (proc(5), `stat`). A later process with the same id has another number.
    let ticks: String
    let version: String
    /// The moment at which the server became ready.
    let started: String
    let url: String
    let rows: [SettingRow]

    /// The source that is shown for the setting `origin` if it is not set. The log then has the name that it got at its first start.
    static let ownName = "the log's own name"

    /// Collects the settings of this process, to be stored.
    ///
    /// - Parameter origin: the log's name, which is stored as the setting `origin` if that setting is not set.
    init(_ settings: SettingsInForce, url: String, origin: String) {
        process = Int(ProcessInfo.processInfo.processIdentifier)
        (ticks, version, started) = (Self.ticks(of: "self") ?? "", ProductVersion.text, Date().formatted(.iso8601))
        self.url = url
        rows = settings.rows.map { row in
            guard row.name == Setting.origin.rawValue, settings.text(.origin) == nil else { return row }
            return SettingRow(name: row.name, value: origin, source: Self.ownName)
        }
    }

    /// Reads the settings of the server that runs on a data folder; nil if no server runs on it, or if the server could not store them. If
    /// the folder is a copy, its file may name a server that runs on the original folder, so the writer's lock is tested too.
    ///
    /// - Throws: `Refusal.closedSettings` if the file of settings exists and the current user may not read it.
    init?(servedAt data: String) throws(Refusal) {
        let path = DataFolder(data).runningSettings
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .closedSettings(path) }
        guard let found = try? JSONDecoder().decode(Self.self, from: bytes), let ticks = Self.ticks(of: "\(found.process)"),
            ticks == found.ticks, Rebuild.isServed(DataFolder(data))
        else { return nil }
        self = found
    }

    /// The server, in words.
    var server: String { "process \(process), greentea \(version), at \(url) since \(started)" }

    /// Stores the settings when the server is ready. A server that cannot store them only logs a warning.
    func keep(in data: String, _ logger: Logger) {
        do { try write(to: data) } catch {
            logger.report(
                .settingNoted, at: .warning, "`greentea config --running` cannot show the settings: they could not be stored",
                ["error": "\(error)"])
        }
    }

    /// Stores the settings in a file that only its owner may read.
    private func write(to data: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let path = DataFolder(data).runningSettings
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Removes the file of settings when the server stops. A file that a killed server has left is ignored, because the process that it
    /// names no longer exists.
    static func remove(from data: String) { try? FileManager.default.removeItem(atPath: DataFolder(data).runningSettings) }

    /// The clock ticks from the boot to the start of a process; nil if there is no such process.
    private static func ticks(of process: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        // The second field is the program's name in brackets, which may contain spaces. The start of the process is the 22nd field.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? String(fields[19]) : nil
    }
}
