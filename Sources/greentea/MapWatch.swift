import CommandService
import EventLog
import Logging
import ServiceLifecycle

/// Warns once when a map of the storage is nearly full: when it is full, the log takes no event, or a model stops.
struct MapWatch: Service {
    /// Between two looks: the last third of a map takes days to fill.
    private static let seconds = 10

    let service: GreenTea
    let logger: Logger

    func run() async throws {
        try? await cancelWhenGracefulShutdown {
            var looks = MapLooks()
            while true {
                looks.look(at: service.maps).forEach(warn)
                try await Task.sleep(for: .seconds(Self.seconds))
            }
        }
        // A service that returns ends the others.
        try? await gracefulShutdown()
    }

    private func warn(of map: MapUsage) {
        logger.warning(
            "a map of the storage is nearly full",
            metadata: [
                "map": "\(map.name)", "usedBytes": "\(map.usedBytes)", "limitBytes": "\(map.limitBytes)", "remedy": "\(map.remedy)",
            ])
    }
}
