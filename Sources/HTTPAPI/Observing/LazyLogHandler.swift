import Logging

/// Keeps what accompanies a line until there is a line.
///
/// Each request gets its id into its logger, and most requests log nothing. The library's handler makes text of everything whenever
/// something is set; this one hands it over together with the line.
struct LazyLogHandler: LogHandler {
    var metadata: Logger.Metadata
    private var base: any LogHandler

    /// - Parameter base: what writes the lines.
    init(_ base: any LogHandler) {
        (metadata, self.base) = (base.metadata, base)
        self.base.metadata = [:]
    }

    var logLevel: Logger.Level {
        get { base.logLevel }
        set { base.logLevel = newValue }
    }

    var metadataProvider: Logger.MetadataProvider? {
        get { base.metadataProvider }
        set { base.metadataProvider = newValue }
    }

    subscript(metadataKey key: String) -> Logger.Metadata.Value? {
        get { metadata[key] }
        set { metadata[key] = newValue }
    }

    func log(event: LogEvent) {
        var event = event
        event.metadata = metadata.merging(event.metadata ?? [:]) { _, line in line }
        base.log(event: event)
    }
}
