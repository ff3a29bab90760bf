import HTTPTypes
import Testing

@testable import HTTPAPI

/// Compares the API description with the server's behaviour.
@Suite("description", .timeLimit(.minutes(15)))
struct DescriptionTests {
    @Test("The YAML and the JSON that are served have the same operations")
    func served() async throws {
        try await onStage { _, visitor in
            let yaml = try await visitor.get("/openapi.yaml")
            #expect(yaml.status == 200)
            #expect(yaml.headers[.contentType] == "application/yaml")
            let json = try await visitor.get("/openapi.json")
            #expect(json.headers[.contentType] == "application/json")
            #expect(try json.json["openapi"]?.string == "3.1.0")
            let operations = try Described().operations.map(\.id)
            let named = yaml.text.matches(of: /\n {6}operationId: (\w+)/).map { String($0.1) }
            #expect(named.sorted() == operations.sorted() && !operations.isEmpty)
        }
    }

    @Test("The documentation page lists every operation, and contains no script and no external resource")
    func page() async throws {
        try await onStage { _, visitor in
            let page = try await visitor.get("/docs")
            #expect(page.headers[.contentType] == "text/html; charset=utf-8")
            #expect(page.headers[.contentSecurityPolicy]?.hasPrefix("default-src 'none'") == true)
            let text = page.text
            for operation in try Described().operations { #expect(text.contains("id=\"\(operation.id)\""), "\(operation.id)") }
            for remote in ["<script", "src=", "@import", "url(", "<link"] { #expect(!text.contains(remote), "\(remote)") }
        }
    }

    @Test("Every route is described, and every described operation is routed or listed as not built")
    func routes() async throws {
        try await onStage { stage, _ in
            let routed = Set(stage.api.routes.map { "\($0.method.rawValue) \($0.path.replacing("**", with: "{path}"))" })
            let described = Set(try Described().operations.map(\.name))
            #expect(routed.subtracting(described).sorted() == [], "no route lacks a description")
            #expect(described.subtracting(routed).sorted() == NotBuilt.operations.sorted(), "only unbuilt operations lack a route")
        }
    }

    @Test("The description lists exactly the server's problem codes, each under its status")
    func codes() throws {
        let described = try Described()
        // This server never answers `idempotencyInFlight`, because its writer handles one request at a time. The contract defines the
        // code for other servers.
        #expect(described.codes.subtracting(["idempotencyInFlight"]) == Set(ProblemCode.allCases.map(\.rawValue)))
        var told: Set<String> = ["methodNotAllowed"]  // This code belongs to paths, not to operations.
        for operation in described.operations {
            for (status, codes) in operation.refusals {
                for code in codes {
                    #expect(ProblemCode(rawValue: code)?.status.code == status, "\(operation.name): \(code)")
                    told.insert(code)
                }
            }
        }
        #expect(ProblemCode.allCases.map(\.rawValue).filter { !told.contains($0) } == [], "every problem code is listed by an operation")
    }

    @Test("Operation IDs are unique, and every operation has a summary and a success status")
    func complete() throws {
        let operations = try Described().operations
        #expect(Set(operations.map(\.id)).count == operations.count)
        for operation in operations {
            #expect(!operation.summary.isEmpty, "\(operation.name)")
            #expect(operation.statuses.contains { (200..<300).contains($0) }, "\(operation.name)")
        }
    }
}
