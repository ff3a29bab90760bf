import Audit
import Console
import Foundation
import Logging
import LoyaltyCodec
import ServiceLog

/// The settings of the server on a data folder, stored there for `greentea config`, which has other flags and variables.
struct RunningSettings: Codable {
    let process: Int
    /// Clock ticks from the boot to the process's start (proc(5), `stat`), to tell it from a later process with its id.
    let ticks: String
    let version: String
    /// The moment of readiness.
    let started: String
    let url: String
    let rows: [SettingRow]

    /// Shown for `origin` if it is not set: the log then has its name from the first start.
    static let ownName = "the log's own name"

    /// - Parameter origin: the log's name, stored if the setting is not set.
    init(_ settings: SettingsInForce, url: String, origin: String) {
        process = Int(ProcessInfo.processInfo.processIdentifier)
        (ticks, version, started) = (Self.ticks(of: "self") ?? "", ProductVersion.text, Date().formatted(.iso8601))
        self.url = url
        rows = settings.rows.map { row in
            guard row.name == Setting.origin.rawValue, settings.text(.origin) == nil else { return row }
            return SettingRow(name: row.name, value: origin, source: Self.ownName)
        }
    }

    /// Nil if no server runs on the folder, or it could not store its settings. A copied folder's file may name the server of the original,
    /// so the writer's lock is tested too.
    ///
    /// - Throws: `Refusal.closedSettings` if the current user may not read the file.
    init?(servedAt data: String) throws(Refusal) {
        let path = DataFolder(data).runningSettings
        guard FileManager.default.fileExists(atPath: path) else { return nil }
        guard let bytes = FileManager.default.contents(atPath: path) else { throw .closedSettings(path) }
        guard let found = try? JSONDecoder().decode(Self.self, from: bytes), let ticks = Self.ticks(of: "\(found.process)"),
            ticks == found.ticks, Rebuild.isServed(DataFolder(data))
        else { return nil }
        self = found
    }

    var server: String { "process \(process), greentea \(version), at \(url) since \(started)" }

    /// A failure only logs a warning.
    func keep(in data: String, _ logger: Logger) {
        do { try write(to: data) } catch {
            logger.report(
                .settingNoted, at: .warning, "`greentea config --running` cannot show the settings: they could not be stored",
                ["error": "\(error)"])
        }
    }

    /// Only the owner may read the file.
    private func write(to data: String) throws {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
        let path = DataFolder(data).runningSettings
        try encoder.encode(self).write(to: URL(fileURLWithPath: path), options: .atomic)
        try FileManager.default.setAttributes([.posixPermissions: 0o600], ofItemAtPath: path)
    }

    /// Removes the file at the stop. One that a killed server left is ignored, because its process no longer exists.
    static func remove(from data: String) { try? FileManager.default.removeItem(atPath: DataFolder(data).runningSettings) }

    /// Nil if there is no such process.
    private static func ticks(of process: String) -> String? {
        guard let bytes = FileManager.default.contents(atPath: "/proc/\(process)/stat") else { return nil }
        // The name in brackets may contain spaces. The start is the 22nd field.
        let fields = String(decoding: bytes, as: UTF8.self).split(separator: ")").last?.split(separator: " ") ?? []
        return fields.count > 19 ? String(fields[19]) : nil
    }
}
