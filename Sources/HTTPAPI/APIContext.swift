public import Hummingbird

/// What accompanies one request: Hummingbird's own storage (logger with the request's id, path parameters) and nothing more.
public struct APIContext: RequestContext {
    public var coreContext: CoreRequestContextStorage

    public init(source: ApplicationRequestContextSource) {
        coreContext = CoreRequestContextStorage(source: source)
    }
}
