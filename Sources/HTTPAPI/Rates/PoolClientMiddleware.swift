import Caches
import CommandService
import Hummingbird
import Loyalty
import NIOCore

/// Names each request's client for the limits and the pools.
struct PoolClientMiddleware: RouterMiddleware {
    let resources: Resources

    func handle(
        _ request: Request, context: APIContext, next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        try await Self.serve(request, context, as: resources.limitedAddress(of: request, context), next)
    }

    static func serve(
        _ request: Request, _ context: APIContext, as address: ClientAddress?,
        _ next: @concurrent (Request, APIContext) async throws -> Response
    ) async throws -> Response {
        let pipeline = context.channel.pipeline
        var context = context
        context.limitedAddress = address
        let client = PoolClient(PoolShare(of: context.limitedAddress)) { pipeline.fireUserInboundEventTriggered(Displacement()) }
        return try await PoolClient.$current.withValue(client) { [context] in try await next(request, context) }
    }
}

/// The connection's request has to give way; see `SharedPool`.
struct Displacement: Sendable {}

extension PoolShare {
    init(of address: ClientAddress?, account: AccountID? = nil) {
        self.init(account: account?.value, address: address?.number, network: address?.network?.number)
    }
}
