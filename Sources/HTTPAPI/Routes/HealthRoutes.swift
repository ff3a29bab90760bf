import CommandService
import EventLog
import Hummingbird
import ReadModels

/// For those who operate the service. Without the prefix, and open to anyone.
struct HealthRoutes {
    private struct Alive: JSONWritable {
        func write(to json: inout JSONWriter) {
            json.object { $0.field("status", "ok") }
        }
    }

    let resources: Resources

    var routes: [Route] {
        [.get("/healthz") { _, _ in .ok(Alive()) }, .get("/readyz", ready)]
    }

    /// Whether it writes and its read models keep up; a service that runs but shows stale cards is not ready.
    private func ready(_ request: Request, _ context: APIContext) async throws -> Response {
        let service = resources.service
        let readiness = ReadinessAnswer(
            head: service.log.head, isWriting: service.failure == nil, waitingCommands: service.queueDepth,
            models: service.models.status)
        var response = Response.ok(readiness)
        if !readiness.isReady { response.status = .serviceUnavailable }
        return response
    }
}
