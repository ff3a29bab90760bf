package import EventLog
package import Projections
internal import ReadModels

/// Rebuilds the search model in a new generation, while the current one stays in use, like ``ModelBuilder``.
package struct DiscoveryBuilder: Sendable {
    package typealias Check = (DiscoveryContent) throws(ReadModelError) -> Void

    private let log: EventLog

    package init(log: EventLog) { self.log = log }

    /// - Parameter known: an existing generation to bring up to date. It is not removed if it fails the check.
    @available(*, noasync)
    package func complete(
        under lock: BuildLock, known: Generation? = nil, checking check: Check, _ observe: ModelBuilder.Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        try DiscoveryFile.complete(
            version: DiscoverySchema.version, of: log, under: lock, known: known,
            following: { (file) throws(ReadModelError) in try DiscoveryFollower(file, log: log) },
            checking: { (file, _) throws(ReadModelError) in
                let content = try file.content()
                try check(content)
                return ContentCheck.Verdict(digest: content.digest, rows: content.rows)
            }, observe)
    }
}
