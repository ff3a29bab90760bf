import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore
import Projections
import Prometheus
import ReadModels

/// The routes of health, readiness and metrics, for operators. Their paths have no `/v1`, and they are open to anyone.
struct HealthRoutes {
    private struct Alive: JSONWritable {
        let version: String?

        func write(to json: inout JSONWriter) {
            json.object {
                $0.field("status", "ok")
                if let version { $0.field("version", version) }
            }
        }
    }

    let resources: Resources
    let metrics: ServiceMetrics

    var routes: [Route] {
        let alive = Alive(version: resources.configuration.operations.version)
        return [.get("/healthz") { _, _ in .ok(alive) }, .get("/readyz", ready), .get("/metrics", measured)]
    }

    /// Answers whether the service can write and store checkpoints, and whether its read models are current and correct. A service that
    /// runs but shows stale or wrong cards is not ready.
    private func ready(_ request: Request, _ context: APIContext) async throws -> Response {
        let readiness = readiness
        var response = Response.ok(readiness)
        if !readiness.isReady { response.status = .serviceUnavailable }
        return response
    }

    /// The metrics, for Prometheus.
    private func measured(_ request: Request, _ context: APIContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(readiness, resources.configuration.audit?()))))
    }

    private var readiness: ReadinessAnswer { ReadinessAnswer(of: resources, metrics) }
}

extension ReadinessAnswer {
    /// Reads the present state of the service.
    fileprivate init(of resources: Resources, _ metrics: ServiceMetrics) {
        let service = resources.service
        var system = metrics.probe.state
        system.messageFailure = (resources.configuration.messages as? CountedSender)?.failure
        self.init(
            head: service.log.head, isWriting: service.failure == nil, isSigning: service.checkpoints.failure == nil,
            waitingCommands: service.queueDepth, models: service.models.status,
            mismatches: resources.configuration.audit?().mismatches ?? [], damage: service.damage, maps: service.maps, system: system,
            version: resources.configuration.operations.version)
    }
}

/// A condition that needs an operator: a reason or a warning of `/readyz`.
public struct ServiceFault: Hashable, Sendable {
    /// The code of the condition in `/readyz`.
    public let code: String
    /// The name of the read model or memory map concerned; nil if the condition concerns the whole service.
    public let subject: String?
    /// Whether the condition is a reason (and not a warning): the service should get no requests while it lasts.
    public let isReason: Bool
    /// The position of a model that is behind because this start builds it from the first event; nil for any other condition. Two
    /// conditions that differ only in this position are equal.
    public var buildPosition: UInt64?

    public static func == (left: ServiceFault, right: ServiceFault) -> Bool {
        left.code == right.code && left.subject == right.subject && left.isReason == right.isReason
    }

    public func hash(into hasher: inout Hasher) {
        hasher.combine(code)
        hasher.combine(subject)
        hasher.combine(isReason)
    }
}

extension API {
    /// The present conditions, in the order of `/readyz`.
    public var faults: [ServiceFault] { ReadinessAnswer(of: resources, serviceMetrics).faults }
}

/// The answer of `/readyz`: whether the service should get requests, and the position of each read model. Details of failures are in the
/// service's log, not in this answer.
struct ReadinessAnswer: JSONWritable {
    let head: Position
    let isWriting: Bool
    /// Whether the last attempt to store a checkpoint succeeded.
    let isSigning: Bool
    let waitingCommands: Int
    let models: [ModelStatus]
    /// Names of read models that differ from the log.
    var mismatches: [String] = []
    /// The files that were found damaged.
    var damage: [DamagedFile] = []
    /// The usage of the memory maps of the log, the keys and the models.
    var maps: [MapUsage] = []
    /// Descriptors, disk, clock, certificate and text messages.
    var system = SystemState()
    /// The program's version; nil if it is unknown.
    var version: String?

    var isReady: Bool { reasons.isEmpty }

    /// Conditions that do not stop requests. They include warnings about a model, because a generation (a build) of the model that is
    /// correct and follows the log is then still served: an older one, or one whose files were removed.
    private var warnings: [ReadinessWarning] {
        models.compactMap { model in model.renewalFailure.map { ReadinessWarning($0, of: model.name) } }
            + models.compactMap { model in model.loss.map { ReadinessWarning($0, of: model.name, "modelRemoved") } }
            + maps.filter(\.isNearlyFull).map { ReadinessWarning($0) } + system.warnings.map { ReadinessWarning($0) }
            + damage.filter(\.isAccepted).map { ReadinessWarning($0) }
    }

    /// The reasons why the service is not ready, each with a code and the model concerned, if any. The service's log has the details.
    private var reasons: [(code: String, model: String?)] {
        var reasons: [(code: String, model: String?)] = []
        if !isWriting { reasons.append(("writerStopped", nil)) }
        reasons += damage.filter { !$0.isAccepted }.map { ($0.name.rawValue, nil) }
        if system.isDiskFull { reasons.append(("diskFull", nil)) }
        if !isSigning { reasons.append(("checkpointFailing", nil)) }
        for model in models {
            if model.failure != nil {
                reasons.append(("modelStopped", model.name))
            } else if model.lag > Limits.readyLagEventsMax {
                reasons.append(("modelBehind", model.name))
            }
        }
        return reasons + mismatches.map { ("modelMismatch", $0) }
    }

    var faults: [ServiceFault] {
        reasons.map { reason in
            let built = models.first { $0.name == reason.model && $0.built != nil && reason.code == "modelBehind" }
            return ServiceFault(code: reason.code, subject: reason.model, isReason: true, buildPosition: built?.position.rawValue)
        }
            + warnings.map { ServiceFault(code: $0.code, subject: $0.model ?? $0.map, isReason: false) }
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("status", isReady ? "ready" : "notReady")
            $0.array("reasons", reasons) { json, reason in
                json.object {
                    $0.field("code", reason.code)
                    $0.field("model", reason.model)
                }
            }
            $0.array("warnings", warnings) { json, warning in warning.write(to: &json) }
            if let version { $0.field("version", version) }
            $0.field("position", head.rawValue)
            $0.field("writing", isWriting)
            $0.field("waitingCommands", waitingCommands)
            $0.array("models", models) { json, model in
                json.object {
                    $0.field("name", model.name)
                    $0.field("position", model.position.rawValue)
                    $0.field("lag", model.lag)
                    $0.field("stalled", model.hasStalled)
                    $0.field("stale", model.renewalFailure != nil)
                }
            }
        }
    }
}

/// A condition that does not stop requests but needs an operator: a code, the model or memory map concerned, the cause and a remedy. It
/// contains no stored data and no path.
private struct ReadinessWarning: JSONWritable {
    let code: String
    var model: String?
    var map: String?
    let cause: String
    var position: Position?
    var event: String?
    let remedy: String

    /// The warning that a model is served from an older generation (an earlier build), because the generation for this program's version
    /// could not be built. With the code `modelRemoved`, it is the warning that the model's files were removed and are being made again.
    init(_ failure: ReadModelError, of model: String, _ code: String = "modelNotRenewed") {
        (self.code, self.model, cause) = (code, model, failure.code.description)
        (position, event, remedy) = (failure.position, failure.eventType, failure.remedy)
    }

    /// The warning that a resource of the system, such as the disk, is near its limit.
    init(_ warning: SystemWarning) { (code, cause, remedy) = (warning.code, warning.cause, warning.remedy) }

    /// The warning that the operator accepts events behind damage.
    init(_ file: DamagedFile) { (code, cause, remedy) = (file.name.rawValue, file.detail, file.remedy) }

    /// The warning that a memory map is nearly full.
    init(_ map: MapUsage) {
        (code, self.map, cause, remedy) = ("mapNearlyFull", map.name, "\(map.percent) % of \(map.limitBytes) bytes", map.remedy)
    }

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("code", code)
            $0.field("model", model)
            $0.field("map", map)
            $0.field("cause", cause)
            $0.field("position", position.map { Int(clamping: $0.rawValue) })
            $0.field("event", event)
            $0.field("remedy", remedy)
        }
    }
}

extension ModelStatus {
    fileprivate var hasStalled: Bool { failure != nil || lag > Limits.readyLagEventsMax }
}
