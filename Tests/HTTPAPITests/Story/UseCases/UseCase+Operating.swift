extension UseCase {
    static let operating = [health, description]

    private static let health = UseCase("health", "Ask whether the service is well") { director in
        _ = try await director.anybody.get("/healthz")
        _ = try await director.anybody.get("/readyz")
    }

    private static let description = UseCase("description", "Read what the service can do") { director in
        _ = try await director.anybody.get("/docs")
        _ = try await director.anybody.get("/openapi.yaml")
        // As long as the service is large, so it stands in a file of its own.
        _ = try await director.visitor.get("/openapi.json")
    }
}
