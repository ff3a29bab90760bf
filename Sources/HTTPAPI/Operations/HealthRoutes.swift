import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import NIOCore
import Projections
import Prometheus
import ReadModels

/// The routes of health, readiness and metrics, open to anyone and without `/v1`.
struct HealthRoutes {
    let resources: Resources
    let metrics: ServiceMetrics

    var routes: [Route] {
        let version = resources.configuration.operations.version
        return [
            .get("/healthz") { _, _ in .ok(["status": "ok", "version": IfPresent(version)] as JSONFields) }, .get("/readyz", ready),
            .get("/metrics", measured),
        ]
    }

    /// A service that runs but shows stale or wrong cards is not ready.
    private func ready(_ request: Request, _ context: APIContext) async throws -> Response {
        let readiness = readiness
        var response = Response.ok(readiness)
        if !readiness.isReady { response.status = .serviceUnavailable }
        return response
    }

    private func measured(_ request: Request, _ context: APIContext) async throws -> Response {
        Response(
            status: .ok, headers: [.contentType: PrometheusRegistry.contentType, .cacheControl: "no-store"],
            body: ResponseBody(byteBuffer: ByteBuffer(string: metrics.text(readiness, resources.configuration.audit?()))))
    }

    private var readiness: ReadinessAnswer { ReadinessAnswer(of: resources, metrics) }
}

extension ReadinessAnswer {
    fileprivate init(of resources: Resources, _ metrics: ServiceMetrics) {
        let service = resources.service
        var system = metrics.probe.state
        system.messageFailure = (resources.configuration.messages as? CountedSender)?.failure
        system.engineFault = resources.configuration.operations.engineFault?()
        self.init(
            head: service.log.head, isWriting: service.failure == nil, isSigning: service.checkpoints.failure == nil,
            waitingCommands: service.queueDepth, models: service.models.status,
            mismatches: resources.configuration.audit?().mismatches ?? [], damage: service.damage, maps: service.maps, system: system,
            version: resources.configuration.operations.version)
    }
}

/// A reason or a warning of `/readyz`.
public struct ServiceFault: Hashable, Sendable {
    public let code: String
    /// The read model or memory map; nil for the whole service.
    public let subject: String?
    /// Whether the service should get no requests meanwhile.
    public let isReason: Bool
    /// The position of a model that this start builds from the first event. Not compared.
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
    /// In the order of `/readyz`.
    public var faults: [ServiceFault] { ReadinessAnswer(of: resources, serviceMetrics).faults }
}

/// The answer of `/readyz`. The service's log has details of failures.
struct ReadinessAnswer: JSONRecord {
    let head: Position
    let isWriting: Bool
    /// Whether the last attempt to store a checkpoint succeeded.
    let isSigning: Bool
    let waitingCommands: Int
    let models: [ModelStatus]
    var mismatches: [String] = []
    var damage: [DamagedFile] = []
    var maps: [MapUsage] = []
    var system = SystemState()
    var version: String?

    var isReady: Bool { reasons.isEmpty }

    /// Conditions that do not stop requests. With a warning about a model, a correct generation that follows the log is still served,
    /// although it is older or its files were removed.
    private var warnings: [ReadinessWarning] {
        models.compactMap { model in model.renewalFailure.map { ReadinessWarning($0, of: model.name) } }
            + models.compactMap { model in model.loss.map { ReadinessWarning($0, of: model.name, "modelRemoved") } }
            + maps.filter(\.isNearlyFull).map { ReadinessWarning($0) } + system.warnings.map { ReadinessWarning($0) }
            + damage.filter(\.isAccepted).map { ReadinessWarning($0) }
    }

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

    var fields: JSONFields {
        [
            "status": isReady ? "ready" : "notReady",
            "reasons": reasons.map { ["code": $0.code, "model": $0.model] as JSONFields }, "warnings": warnings,
            "version": IfPresent(version),
            "position": head, "writing": writes, "waitingCommands": waitingCommands,
            "following": IfPresent(system.following.map { ["lag": $0.lag] as JSONFields }),
            "cluster": IfPresent(system.cluster.map { fields($0) }),
            "models": models.map(Self.fields),
        ]
    }

    private var writes: Bool { isWriting && system.following == nil && system.cluster?.isWriter ?? true }

    private func fields(_ cluster: ClusterStatus) -> JSONFields {
        [
            "node": cluster.node, "role": cluster.role.rawValue, "writer": cluster.writer, "term": cluster.term,
            "lag": cluster.lag(at: head), "nodes": cluster.nodes.count,
        ]
    }

    private static func fields(_ model: ModelStatus) -> JSONFields {
        [
            "name": model.name, "position": model.position, "lag": model.lag,
            "stalled": model.failure != nil || model.lag > Limits.readyLagEventsMax, "stale": model.renewalFailure != nil,
        ]
    }
}

/// A condition that needs an operator but does not stop requests. It contains no stored data and no path.
private struct ReadinessWarning: JSONRecord {
    let code: String
    var model: String?
    var map: String?
    let cause: String
    var position: Position?
    var event: String?
    let remedy: String

    /// `modelNotRenewed`: an older generation is served, because this version's could not be built. `modelRemoved`: the files were removed
    /// and are being made again.
    init(_ failure: ReadModelError, of model: String, _ code: String = "modelNotRenewed") {
        (self.code, self.model, cause) = (code, model, failure.code.description)
        (position, event, remedy) = (failure.position, failure.eventType, failure.remedy)
    }

    init(_ warning: SystemWarning) { (code, cause, remedy) = (warning.code, warning.cause, warning.remedy) }

    /// The operator accepts events behind the damage.
    init(_ file: DamagedFile) { (code, cause, remedy) = (file.name.rawValue, file.detail, file.remedy) }

    init(_ map: MapUsage) {
        (code, self.map, cause, remedy) = ("mapNearlyFull", map.name, "\(map.percent) % of \(map.limitBytes) bytes", map.remedy)
    }

    var fields: JSONFields {
        [
            "code": code, "model": model, "map": map, "cause": cause, "position": position,
            "event": event, "remedy": remedy,
        ]
    }
}
