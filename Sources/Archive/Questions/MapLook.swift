internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Projections

/// Examines the address space of the key store and the read models. ``Checkup`` has the line about the log's.
enum MapLook {
    /// Lines about the keys and the fullest model, if their files can be opened.
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

    /// - Parameter setting: the flag that sets the map's limit.
    static func line(_ subject: String, _ map: MapUsage, _ setting: String, _ note: String, isFullSoon: Bool = false) -> Checkup.Line {
        Checkup.Line(
            subject, .warning, if: map.isNearlyFull || isFullSoon,
            "\(map.usedBytes >> 20) MiB of \(map.limitBytes >> 20) MiB used, \(map.percent) %\(note)",
            "Start the service with a larger \(setting) before it is full.")
    }

    /// Returns the usage with the service's limit: its setting, or the largest map that a writer has reserved.
    ///
    /// The limit of this reader is the last resort, because a reader reserves at least the default size.
    ///
    /// - Parameter setting: the setting's name in the service's file of settings.
    static func limited(_ usage: MapUsage, _ setting: String, of directory: String, _ data: DataFolder) -> MapUsage {
        let limit = gibibytes(setting, data).map { $0 << 30 } ?? Environment.reservedBytes(in: directory) ?? usage.limitBytes
        return MapUsage(name: usage.name, usedBytes: usage.usedBytes, limitBytes: limit, setting: usage.setting)
    }

    /// A setting of the running or killed server; nil for a default, or after a stop, which removes the file.
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
