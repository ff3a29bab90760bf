import CommandService
import EventLog
import LoyaltyCodec
import ReadModels

/// Stamps over HTTP while `greentea-rebuild` builds every model of the same folder anew, over and over, beside stamps undisturbed.
///
/// The log is a town's, so that a rebuild takes a while; the program runs as it does for anybody, in a process of its own that gives way
/// to the server.
struct BesideBench {
    let sizes: Sizes
    let folder: String

    func run(into report: inout Report) async throws {
        let home = folder + "/beside"
        try GeneratedTown(events: sizes.rebuiltEvents, in: DataFolder(home + "/data")).write()
        let server = try await StampServer.open(in: home, sizes: sizes)
        let service = server.shop.service
        guard await service.models.reached(service.log.head, timeoutSeconds: 600) else { throw BenchError.unexpected }
        var (alone, beside, rebuilds): ([HTTPLoad], [HTTPLoad], [Double]) = ([], [], [])
        for _ in 0..<sizes.rounds {
            alone.append(try await server.stamps(try await server.input()))
            let input = try await server.input()
            let rebuilding = try Rebuilding(of: home + "/data")
            let load: HTTPLoad
            do { load = try await server.stamps(input) } catch {
                _ = try? rebuilding.end()
                throw error
            }
            rebuilds.append(Double(try rebuilding.end()))
            beside.append(load)
        }
        try close(service)
        report.add("durable stamps over HTTP, undisturbed", "requests/s", alone.map(\.rate))
        report.add("the same beside greentea-rebuild", "requests/s", beside.map(\.rate))
        report.add("  p99 undisturbed", "µs", alone.map(\.p99))
        report.add("  p99 beside greentea-rebuild", "µs", beside.map(\.p99))
        report.add("  rebuilds of all models that ended meanwhile", "", rebuilds)
        report.addRatio(
            "beside a rebuild : undisturbed", of: "the same beside greentea-rebuild", to: "durable stamps over HTTP, undisturbed",
            target: 0.8)
    }
}
