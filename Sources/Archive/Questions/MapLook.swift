internal import EventLog
internal import Foundation
internal import LMDB
internal import LoyaltyCodec
internal import Projections

/// Examines the address space that the files of the keys and of the read models may use. The log's has a line of its own, with a pace.
enum MapLook {
    /// The checkup's lines: one about the keys, one about the fullest model. A file that is missing, or cannot be opened, has none.
    static func lines(of data: DataFolder) -> [Checkup.Line] {
        let keys = usage("keys", data.keys).map { line("keys map", $0, "--keys-map-gib", "") }
        let names = (try? FileManager.default.contentsOfDirectory(atPath: data.models)) ?? []
        let models = names.compactMap { name -> MapUsage? in
            let folder = ModelFolder(models: data.models, model: name)
            return folder.current.flatMap { usage(name, folder.path(of: $0)) }
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

    private static func usage(_ name: String, _ directory: String) -> MapUsage? {
        guard FileManager.default.fileExists(atPath: directory + "/data.mdb") else { return nil }
        return (try? Environment(directory: directory, access: .readOnly)).map { MapUsage(name, of: $0) }
    }
}
