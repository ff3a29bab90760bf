public import Hummingbird
import NIOCore

/// What accompanies one request: Hummingbird's own storage (logger with the request's id, path parameters), and the connection that
/// it came through.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// Asked for the client's address, and for nothing else.
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        channel = source.channel
    }
}
