import HummingbirdTesting
import NIOCore
import Testing

@testable import HTTPAPI

/// Runs a test against a fresh service over real connections, and gives it the port.
///
/// - Parameters:
///   - idle: seconds; long, because the visitor's only connection is idle between two requests for as long as a busy machine likes.
///   - patience: seconds for what has begun.
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
    /// A client may take as long over a body as the machine is busy.
    static var unhurried: ConnectionTerms {
        var terms = ConnectionTerms()
        terms.bodyGrace = .seconds(3_600)
        return terms
    }
}
