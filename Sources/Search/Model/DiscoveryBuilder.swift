package import EventLog
package import Projections
internal import ReadModels

/// Builds the model anew beside the one in use, as ``ModelBuilder`` does with the others: a server may run beside it.
///
/// A crash at any moment leaves the old generation in use, and a half-built one that the next builder goes on with.
package struct DiscoveryBuilder: Sendable {
    /// Judges what was built before anybody relies on it.
    package typealias Check = (DiscoveryContent) throws(ReadModelError) -> Void

    private let log: EventLog

    package init(log: EventLog) { self.log = log }

    /// Completes a generation: begins one or goes on with a half-built one, fills it to the head, has it checked, flushes and seals it.
    ///
    /// Nobody has it open when this returns.
    ///
    /// - Parameters:
    ///   - lock: of ``Discovery/folder(in:)``.
    ///   - known: a generation to bring up to date rather than a new one: the previous one.
    /// - Throws: ``ReadModelError``; a generation that the check refuses is dropped, unless it is a known one.
    @available(*, noasync)
    package func complete(
        under lock: BuildLock, known: Generation? = nil, checking check: Check, _ observe: ModelBuilder.Observer
    ) throws(ReadModelError) -> BuiltGeneration {
        let file = try opened(under: lock, known: known)
        let resumedAt = try file.mark().position
        try observe(.opened(generation: file.generation.text, at: resumedAt))
        let applied = try fill(file, observe)
        let content = try file.content()
        try observe(.checking(content.mark.position))
        do throws(ReadModelError) { try check(content) } catch {
            if error.code == .mismatch, known == nil { try lock.drop(file.generation) }
            throw error
        }
        // Flushed before it is named, so that a pointer never leads to a generation that a power cut can take away.
        try file.close()
        let seal = lock.folder.seal(of: file.generation)
        do { try seal.write(bytesMax: .max) } catch { throw ReadModelError(discovery: error) }
        try observe(.closed(content.mark.position))
        return BuiltGeneration(
            file.generation, at: content.mark, digest: content.digest, seal: seal.text ?? "", rows: content.rows, applied: applied,
            resumedAt: resumedAt)
    }

    private func opened(under lock: BuildLock, known: Generation?) throws(ReadModelError) -> DiscoveryFile {
        if let known {
            let opened = try DiscoveryFile.goOn(with: known, in: lock.folder)
            if try opened.fits(log) { return opened }
            throw ReadModelError(.mismatch, model: Discovery.name, "\(known.text) belongs to another log")
        }
        if let unfinished = lock.unfinished(schemaVersion: DiscoverySchema.version) {
            do throws(ReadModelError) {
                let opened = try DiscoveryFile.goOn(with: unfinished, in: lock.folder)
                if try opened.fits(log) { return opened }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return try DiscoveryFile.goOn(with: try lock.begin(schemaVersion: DiscoverySchema.version), in: lock.folder)
    }

    /// - Returns: how many events were applied.
    @available(*, noasync)
    private func fill(_ file: DiscoveryFile, _ observe: ModelBuilder.Observer) throws(ReadModelError) -> Int {
        var follower = try DiscoveryFollower(file, log: log)
        var head = log.head
        // Beside a server the head moves on; who takes the generation over catches up with the rest.
        repeat {
            while follower.position < head {
                try follower.advance(towards: head)
                try observe(.advanced(follower.position, head: head))
            }
            head = log.head
        } while head.rawValue > follower.position.rawValue + ProjectionLimits.handoverLagEvents
        try follower.settle()
        return follower.applied
    }
}
