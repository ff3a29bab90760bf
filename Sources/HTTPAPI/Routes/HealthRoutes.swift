import CommandService
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore
import Prometheus
import ReadModels

/// For those who operate the service. Without the prefix, and open to anyone.
struct HealthRoutes {
    private struct Alive: JSONWritable {
        func write(to json: inout JSONWriter) {
            json.object { $0.field("status", "ok") }
        }
    }

    let resources: Resources
    let metrics: ServiceMetrics

    var routes: [Route] {
        [.get("/healthz") { _, _ in .ok(Alive()) }, .get("/readyz", ready), .get("/metrics", measured)]
    }

    /// Whether it writes and its read models keep up and are right; a service that runs but shows stale or wrong cards is not ready.
    private func ready(_ request: Request, _ context: APIContext) async throws -> Response {
        let readiness = readiness
        var response = Response.ok(readiness)
        if !readiness.isReady { response.status = .serviceUnavailable }
        return response
    }

    /// What Prometheus reads.
    private func measured(_ request: Request, _ context: APIContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(readiness, resources.configuration.audit?()))))
    }

    private var readiness: ReadinessAnswer {
        let service = resources.service
        return ReadinessAnswer(
            head: service.log.head, isWriting: service.failure == nil, isSigning: service.checkpoints.failure == nil,
            waitingCommands: service.queueDepth, models: service.models.status,
            mismatches: resources.configuration.audit?().mismatches ?? [], maps: service.maps)
    }
}
