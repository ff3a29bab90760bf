import EventLog
import Prometheus
import Testing

@testable import Composition
@testable import HTTPAPI

@Suite("Readiness of a node in a cluster", .timeLimit(.minutes(15)))
struct ClusterReadinessTests {
    private static let names = ["nodes", "writer", "without_writer", "term", "engine_silent_seconds", "hindered"]

    /// The follower tea-2 of three nodes, whose writer is tea-1.
    private func status(
        _ role: ClusterStatus.Role = .follower, writer: String? = "tea-1", silent: Double = 0, hindrance: String? = nil,
        others: Set<String> = [], alive: [String] = ["tea-1", "tea-2", "tea-3"]
    ) -> ClusterStatus {
        let nodes = alive.map { name in
            ClusterStatus.Node(
                name: name, url: "https://\(name)", version: "1", position: name == "tea-1" ? 12 : 9,
                hindrance: name == "tea-2" ? hindrance : nil, hasOtherSettings: others.contains(name))
        }
        return ClusterStatus(
            node: "tea-2", role: role, writer: writer, term: 7, silentSeconds: silent, failure: silent == 0 ? nil : "it is down",
            nodes: nodes)
    }

    @Test("Each condition of a node is a warning with its own code, and none of them ends its readiness")
    func warnings() throws {
        let table: [(ClusterStatus, [String])] = [
            (status(), []), (status(.writer, writer: "tea-2"), []), (status(silent: 9.9), []), (status(silent: 10), ["engineSilent"]),
            (status(writer: nil), ["noWriter"]), (status(hindrance: "the clock is ahead"), ["cannotTakeOver"]),
            (status(others: ["tea-3"]), ["settingsDiffer"]), (status(alive: ["tea-2"]), ["noSecondNode"]), (status(alive: []), []),
        ]
        var (foreign, filling) = (status(.writer), status(.writer))
        (foreign.foreignWriter, filling.usedShare) = ("x", 0.5)
        for (cluster, codes) in table + [(foreign, ["foreignWriter"]), (filling, ["sharedLogFills"])] {
            let answer = answer(cluster)
            #expect(answer.isReady && answer.faults.map(\.code) == codes && answer.faults.allSatisfy { !$0.isReason })
        }
        let warnings = status(silent: 12, hindrance: "the clock is ahead", others: ["tea-3"]).warnings.map(\.cause)
        #expect(
            warnings == [
                "etcd gave no answer for 12 s: it is down", "this node cannot become the writer: the clock is ahead",
                "other settings than here have: tea-3",
            ])
    }

    @Test("An etcd that is nearly full is a warning with its cause")
    func engineRoom() {
        let faults = answer(status(), engineFault: "it has 1700 MB").faults
        #expect(faults.map(\.code) == ["engineNearlyFull"] && faults.allSatisfy { !$0.isReason })
    }

    private func answer(_ cluster: ClusterStatus?, engineFault: String? = nil) -> ReadinessAnswer {
        var system = SystemState()
        (system.cluster, system.engineFault) = (cluster, engineFault)
        return ReadinessAnswer(head: Position(9), isWriting: true, isSigning: true, waitingCommands: 0, models: [], system: system)
    }

    @Test("The answer names the node's role, the writer, the term and the events that it lacks")
    func answered() throws {
        func json(_ cluster: ClusterStatus?) throws -> JSONValue {
            var json = JSONWriter()
            answer(cluster).write(to: &json)
            return try JSONValue(json.bytes)
        }
        let follower = try json(status())
        #expect(follower["writing"] == .bool(false))
        #expect(
            follower["cluster"]
                == .object([
                    "node": .string("tea-2"), "role": .string("follower"), "writer": .string("tea-1"), "term": .number(7),
                    "lag": .number(3), "nodes": .number(3),
                ]))
        #expect(try json(status(.writer, writer: "tea-2"))["writing"] == .bool(true))
        let alone = try json(nil)
        #expect(alone["writing"] == .bool(true) && alone["cluster"] == nil)
    }

    @Test("Each metric of a cluster has its value on a node, and is 0 on a server without one")
    func metrics() async throws {
        try await onStage { stage, visitor in
            let plain = try await visitor.get("/metrics").text.split(separator: "\n")
            for name in Self.names { #expect(plain.contains("greentea_cluster_\(name) 0"), "\(name)") }
            let registry = PrometheusRegistry()
            let operations = API.Operations()
            var state = SystemState()
            state.cluster = status(.writer, writer: nil, silent: 1.5, hindrance: "no key")
            SystemMetrics(SystemProbe(stage.service, operations), operations, registry).set(state, connectionsMax: 1)
            let lines = registry.text.split(separator: "\n")
            for (name, value) in zip(Self.names, ["3", "1", "1", "7", "1.5", "1"]) {
                #expect(lines.contains("greentea_cluster_\(name) \(value)"), "\(name)")
            }
        }
    }
}
