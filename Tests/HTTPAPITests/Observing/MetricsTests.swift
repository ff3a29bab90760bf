import HTTPTypes
import Prometheus
import Testing

@testable import CommandService
@testable import Composition
@testable import HTTPAPI

@Suite("Metrics", .timeLimit(.minutes(15)))
struct MetricsTests {
    private static func lines(_ reply: Reply) -> [String] { reply.text.split(separator: "\n").map(String.init) }

    @Test("Metrics show requests by route and status, problems by code, commits, models and streams")
    func shown() async throws {
        try await onStage { stage, visitor in
            let cast = try await Cast(visitor)
            let card = try await cast.stamp(try await cast.issue().code).string("card", "id")
            try await cast.stamp("AAAA-AAAA").expectProblem("codeNotValid", 422)
            #expect(try await cast.customer.get("/v1/cards/\(card)").status == 200)
            try await visitor.get("/v1/nonsense/\(card)").expectProblem("notFound", 404)
            let reply = try await visitor.get("/metrics")
            #expect(reply.status == 200)
            #expect(reply.headers[.contentType] == "text/plain; version=0.0.4; charset=utf-8")
            let lines = Self.lines(reply)
            let requests = "greentea_http_request_duration_seconds_count"
            #expect(lines.contains(requests + #"{method="GET",route="/v1/cards/{id}",status="200"} 1"#))
            #expect(lines.contains(requests + #"{method="POST",route="/v1/stamps",status="201"} 1"#))
            #expect(lines.contains(requests + #"{method="POST",route="/v1/stamps",status="422"} 1"#))
            #expect(lines.contains(requests + #"{method="GET",route="unmatched",status="404"} 1"#))
            #expect(lines.contains(#"greentea_problems_total{code="codeNotValid"} 1"#))
            #expect(lines.contains(#"greentea_problems_total{code="rateLimited"} 0"#))
            #expect(lines.contains("greentea_log_position \(stage.head)"))
            #expect(lines.contains("greentea_ready 1") && lines.contains("greentea_live_streams 0"))
            #expect(lines.contains(#"greentea_model_lag_events{model="card-progress"} 0"#))
            #expect(lines.contains(#"greentea_model_renewal_failed{model="card-progress"} 0"#))
            for map in ["log", "keys", "card-progress", "journeys"] {
                #expect(lines.contains { $0.hasPrefix(#"greentea_map_used_bytes{map="\#(map)"} "#) }, "\(map)")
                let limit = map == "log" ? 256 : 64
                #expect(lines.contains(#"greentea_map_limit_bytes{map="\#(map)"} \#(limit << 30)"#), "\(map)")
            }
            #expect(lines.contains(#"greentea_picture_jobs{state="running"} 0"#))
            #expect(lines.contains(#"greentea_picture_jobs{state="waiting"} 0"#))
            #expect(lines.contains(#"greentea_picture_refusals_total{limit="processor"} 0"#))
            #expect(lines.contains("greentea_picture_children_total 0"))
            #expect(lines.contains("greentea_commit_events_sum \(stage.head)"))
            #expect(lines.contains { $0.hasPrefix(#"greentea_commit_duration_seconds_bucket{le="+Inf"} "#) })
        }
    }

    @Test("The breaker's metric is 1 if the breaker is open and 0 if it is closed, and password jobs are counted by state")
    func breaker() {
        let registry = PrometheusRegistry()
        var activity = PasswordActivity()
        (activity.running, activity.waiting, activity.computed, activity.dropped) = (1, 2, 3, 4)
        registry.set(activity, isBreakerOpen: true)
        let expected = [
            "greentea_sign_in_breaker_open 1", #"greentea_password_jobs{state="running"} 1"#,
            #"greentea_password_jobs{state="waiting"} 2"#, "greentea_password_hashes_total 3", "greentea_password_hashes_dropped_total 4",
        ]
        for line in expected { #expect(registry.text.contains(line + "\n")) }
        registry.set(activity, isBreakerOpen: false)
        #expect(registry.text.contains("greentea_sign_in_breaker_open 0\n"))
    }

    @Test("Scraping metrics twice counts a password hash once and shows a closed breaker")
    func signingIn() async throws {
        try await onStage { _, visitor in
            _ = try await visitor.post("/v1/sessions", #"{"phone":"+8613800138009","password":"long enough"}"#)
            for _ in 0..<2 {
                let lines = Self.lines(try await visitor.get("/metrics"))
                #expect(lines.contains("greentea_sign_in_breaker_open 0"))
                #expect(lines.contains(#"greentea_password_jobs{state="running"} 0"#))
                #expect(lines.contains(#"greentea_password_jobs{state="waiting"} 0"#))
                #expect(lines.contains("greentea_password_hashes_total 1"))
                #expect(lines.contains("greentea_password_hashes_dropped_total 0"))
            }
        }
    }

    @Test("Metrics contain no IDs, codes or phone numbers, and every line has the Prometheus format")
    func format() async throws {
        try await onStage { _, visitor in
            let cast = try await Cast(visitor)
            let code = try await cast.issue()
            _ = try await cast.stamp(code.code)
            _ = try await visitor.get("/v1/\(cast.customer.account)")
            let reply = try await visitor.get("/metrics")
            for secret in [code.code, code.id, cast.customer.account, cast.shop, "13800138002"] { #expect(!reply.text.contains(secret)) }
            let sample = #/[a-zA-Z_:][a-zA-Z0-9_:]*(\{([a-z_]+="([^"\\\n]|\\.)*",?)*\})? [-+0-9.eE]+(Inf|NaN)?/#
            for line in Self.lines(reply) where !line.hasPrefix("#") { #expect(line.wholeMatch(of: sample) != nil, "\(line)") }
            #expect(reply.text.hasSuffix("\n"))
        }
    }
}
