internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Projections

/// Examines the address space that the files of the keys and of the read models may use. The log's has a line of its own, with a pace.
enum MapLook {
    /// The checkup's lines: one about the keys, one about the fullest model. A file that is missing, or cannot be opened, has none.
    static func lines(of data: DataFolder) -> [Checkup.Line] {
        let keys = usage("keys", data.keys, "keysMapGib", data).map { line("keys map", $0, "--keys-map-gib", "") }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.models)) ?? []
        let models = names.compactMap { name -> MapUsage? in
            let folder = ModelFolder(models: data.models, model: name)
            return folder.current.flatMap { usage(name, folder.path(of: $0), "modelMapGib", data) }
        }
        let fullest = models.max { ($0.percent, $0.usedBytes) < ($1.percent, $1.usedBytes) }
        return [keys, fullest.map { line("model maps", $0, "--model-map-gib", ", the fullest: \($0.name)") }].compactMap(\.self)
    }

    /// The line about one map.
    ///
    /// - Parameter setting: the flag with the map's limit.
    static func line(_ subject: String, _ map: MapUsage, _ setting: String, _ note: String) -> Checkup.Line {
        Checkup.Line(
            subject: subject, verdict: map.isNearlyFull ? .warning : .ok,
            finding: "\(map.usedBytes >> 20) MiB of \(map.limitBytes >> 20) MiB used, \(map.percent) %\(note)",
            remedy: map.isNearlyFull ? "Start the service with a larger \(setting) before it is full." : "")
    }

    /// A usage with the limit that binds the service: its setting, as far as its last start tells, else the most that a writer of the file
    /// has reserved. A reader itself reserves at least the default, so its own limit says nothing about a service with a smaller one.
    ///
    /// - Parameters:
    ///   - setting: the name of the setting in the file of the running settings.
    ///   - directory: the folder of the file.
    static func limited(_ usage: MapUsage, _ setting: String, of directory: String, _ data: DataFolder) -> MapUsage {
        let limit = gibibytes(setting, data).map { $0 << 30 } ?? Environment.reservedBytes(in: directory) ?? usage.limitBytes
        return MapUsage(name: usage.name, usedBytes: usage.usedBytes, limitBytes: limit, setting: usage.setting)
    }

    /// The value of a setting that the last server on the folder was given; nil if it was given none, or if that is not known.
    private static func gibibytes(_ setting: String, _ data: DataFolder) -> Int? {
        struct Settings: Decodable {
            struct Row: Decodable { let name, value, source: String }
            let rows: [Row]
        }
        guard let bytes = FileManager.default.contents(atPath: data.runningSettings),
            let rows = try? JSONDecoder().decode(Settings.self, from: bytes).rows
        else { return nil }
        return rows.first { $0.name == setting && $0.source != "default" }.flatMap { Int($0.value) }
    }

    private static func usage(_ name: String, _ directory: String, _ setting: String, _ data: DataFolder) -> MapUsage? {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb"),
            let store = try? Environment(directory: directory, access: .readOnly)
        else { return nil }
        return limited(MapUsage(name, of: store), setting, of: directory, data)
    }
}
