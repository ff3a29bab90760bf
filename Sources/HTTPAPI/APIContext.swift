public import Hummingbird

/// What accompanies one request: Hummingbird's own storage (logger, path parameters) and the request's id.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage
    /// The id under which the log knows this request.
    var requestID: String

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
        requestID = RequestName.made(with: source.logger)
    }
}
