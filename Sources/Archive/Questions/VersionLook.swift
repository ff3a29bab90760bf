internal import LoyaltyCodec
internal import Projections
internal import ReadModels

/// Checks whether the service's program file was replaced, and whether this program knows the versions of the stored read models.
enum VersionLook {
    private static func line(_ verdict: Checkup.Line.Verdict, _ finding: String, _ remedy: String = "") -> Checkup.Line {
        Checkup.Line("versions", verdict, finding, remedy)
    }

    /// - Parameter service: the process that serves the folder; nil if there is none.
    static func line(_ data: DataFolder, _ service: ServiceProcess?) -> Checkup.Line {
        if let service, service.isReplaced {
            return line(
                .warning, "process \(service.id) still runs a program that was replaced on disk",
                "Start the service again (systemctl restart greentea), so that the new version serves.")
        }
        for model in ReadModels.models {
            guard let stored = ModelFolder(models: data.models, model: model.name).current?.schemaVersion else { continue }
            if stored > model.schemaVersion {
                return line(
                    .bad,
                    "\(model.name) is of version \(stored), and this program knows \(model.schemaVersion): it is older than the service",
                    "Use the tools of the version that serves (curl URL/healthz names it).")
            }
            if stored < model.schemaVersion {
                return line(
                    .warning, "\(model.name) is of version \(stored), and this program makes \(model.schemaVersion)",
                    "Start the new version of the service: it renews the model by itself, and serves the older one meanwhile.")
            }
        }
        return line(.ok, "the read models are of this program's versions")
    }
}
