import Audit
import EventLog
import Synchronization
import Testing

@Suite("Audit status", .timeLimit(.minutes(15)))
struct AuditedTests {
    /// A stub auditor, whose status a test can change.
    private final class Auditor: Sendable {
        private let now = Mutex(AuditStatus([AuditedModel(name: "card-progress"), AuditedModel(name: "notices")]))

        var status: AuditStatus { now.withLock { $0 } }

        func find(_ cards: ModelDifference?, runs: UInt64) {
            let models = [
                AuditedModel(name: "card-progress", position: Position(42), mismatch: cards),
                AuditedModel(name: "notices", position: Position(41), failure: "no room"),
            ]
            now.withLock { $0 = AuditStatus(models, runs: runs, lastSeconds: 1.5) }
        }
    }

    @Test("A mismatch makes the service not ready and is counted, until the model is repaired")
    func mismatch() async throws {
        let auditor = Auditor()
        try await onStage(try Stage(audit: { auditor.status })) { _, visitor in
            #expect(try await visitor.get("/readyz").status == 200)
            let before = try await lines(visitor)
            #expect(before.contains("greentea_audit_runs_total 0"))
            #expect(before.contains(#"greentea_audit_mismatches{model="card-progress"} 0"#))
            #expect(!before.contains { $0.hasPrefix("greentea_audit_position{") }, "no model was compared yet")

            auditor.find(.damaged(model: "card-progress", "page 7 of /data is torn"), runs: 2)
            let red = try await visitor.get("/readyz")
            #expect(red.status == 503)
            let reasons = try red.json["reasons"]
            #expect(reasons == .array([.object(["code": .string("modelMismatch"), "model": .string("card-progress")])]))
            #expect(!red.text.contains("torn"), "only the log has the details of the difference")
            let after = try await lines(visitor)
            for line in [
                "# TYPE greentea_audit_runs_total counter", "greentea_audit_runs_total 2", "greentea_audit_duration_seconds 1.5",
                #"greentea_audit_mismatches{model="card-progress"} 1"#, #"greentea_audit_mismatches{model="notices"} 0"#,
                #"greentea_audit_failures{model="notices"} 1"#, #"greentea_audit_position{model="card-progress"} 42"#, "greentea_ready 0",
            ] { #expect(after.contains(line), "\(line)") }

            auditor.find(nil, runs: 3)
            #expect(try await visitor.get("/readyz").status == 200)
            let mended = try await lines(visitor)
            #expect(mended.contains("greentea_audit_runs_total 3"))
            #expect(mended.contains(#"greentea_audit_mismatches{model="card-progress"} 0"#))
        }
    }

    @Test("The page of proofs tells everybody the auditor's finding, without any details")
    func shown() async throws {
        let auditor = Auditor()
        try await onStage(try Stage(audit: { auditor.status })) { _, visitor in
            #expect(try await visitor.get("/proof").text.contains("It has not compared everything yet."))
            auditor.find(nil, runs: 1)
            #expect(try await visitor.get("/proof").text.contains("Checked so far: all 2 models are as the log says, through event 41."))
            auditor.find(.damaged(model: "card-progress", "page 7 of /data is torn"), runs: 2)
            let red = try await visitor.get("/proof").text
            #expect(red.contains("Not as the log says: card-progress.") && !red.contains("torn"))
        }
    }

    @Test("Without an auditor the metrics contain no audit lines")
    func off() async throws {
        try await onStage { _, visitor in
            #expect(!(try await visitor.get("/proof").text.contains("id=\"audit\"")))
            let lines = try await lines(visitor)
            #expect(lines.allSatisfy { !$0.hasPrefix("greentea_audit_") })
        }
    }

    private func lines(_ visitor: Visitor) async throws -> [String] {
        try await visitor.get("/metrics").text.split(separator: "\n").map(String.init)
    }
}
