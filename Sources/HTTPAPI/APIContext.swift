public import Hummingbird
import NIOCore

/// What accompanies one request: Hummingbird's own storage (logger, path parameters), the request's id, and the connection that it came
/// through.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The id under which the log knows this request.
    var requestID: String
    /// Asked for the client's address, and for nothing else.
    let channel: any Channel

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestID = RequestName.made(with: source.logger)
        channel = source.channel
    }
}
