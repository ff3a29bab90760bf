public import EventLog
internal import Foundation
public import ReadModels

/// Builds the model anew beside the one in use, and switches when it is complete; as ``ModelBuilder`` does with the others.
///
/// The caller MUST hold the log's writer lock, so that no server follows the log meanwhile. A crash at any moment leaves a model that
/// can be used.
public struct DiscoveryBuilder: Sendable {
    private let models: String
    private let log: EventLog

    /// - Parameter models: the folder of all models, `DATA/derived/models`.
    public init(models: String, log: EventLog) {
        (self.models, self.log) = (models, log)
    }

    /// Builds the model up to the log's head and puts it into use.
    ///
    /// - Parameter progress: called after each batch with the position, on this thread.
    /// - Returns: what it came to, with the rows and the digest of what is stored.
    /// - Throws: ``ReadModelError``, with the old generation still in use.
    @available(*, noasync)
    public func build(
        progress: (Position) -> Void = { _ in }
    ) throws(ReadModelError) -> (summary: BuildSummary, rows: Int, digest: String) {
        let start = ContinuousClock.now
        let folder = ModelFolder(models: models, model: Discovery.name)
        try folder.removeAll(but: folder.current)
        let file = try DiscoveryFile.make(in: folder, .requested)
        var follower = try DiscoveryFollower(file, log: log)
        while follower.position < log.head {
            try follower.advance(towards: log.head)
            progress(follower.position)
        }
        // Flushed before it is named, so that a pointer never leads to a generation that a power cut can take away.
        try file.close()
        try folder.use(file.generation)
        try folder.removeAll(but: file.generation)
        let summary = BuildSummary(
            model: Discovery.name, generation: file.generation.text, position: log.head, applied: follower.applied,
            seconds: (ContinuousClock.now - start) / .seconds(1))
        let content = try DiscoveryContent.stored(in: models)
        return (summary, content.rows, content.digest)
    }
}
