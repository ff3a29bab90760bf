import HummingbirdTesting
import NIOCore
import Testing

@testable import HTTPAPI

/// Runs a test against a fresh service over real connections, and passes it the port.
///
/// - Parameters:
///   - idle: seconds after which the service closes an idle connection. The default is long, because the test's only connection is idle
///     between two requests, and a busy machine may let much time pass between them.
///   - patience: seconds after which the service gives up on a request that has begun and is not complete.
func onLiveStage<Value: Sendable>(
    _ stage: @autoclosure @Sendable () throws -> Stage = try Stage(), idle: Int64 = 3_600, patience: Int64 = 3_600,
    terms: ConnectionTerms = .unhurried,
    _ body: @Sendable (Stage, Visitor, Int) async throws -> Value
) async throws -> Value {
    try await Places.take {
        let stage = try stage()
        defer { stage.strike() }
        var terms = terms
        (terms.idle, terms.patience) = (.seconds(idle), .seconds(patience))
        let server = stage.api.server(terms)
        let application = stage.api.application(hostname: "127.0.0.1", port: 0, server: server) { _ in }
        return try await application.test(.live) { client in
            try await body(stage, Visitor(client: client), try #require(client.port))
        }
    }
}

extension ConnectionTerms {
    /// Terms that allow a body to take very long, as it may on a busy machine.
    static var unhurried: ConnectionTerms {
        var terms = ConnectionTerms()
        terms.bodyGrace = .seconds(3_600)
        return terms
    }
}
