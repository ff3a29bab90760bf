package import EventLog
package import Projections
internal import ReadModels

/// Rebuilds the search model in a new generation, while the current one stays in use, like ``ModelBuilder``.
package struct DiscoveryBuilder: Sendable {
    package typealias Check = (DiscoveryContent) throws(ReadModelError) -> Void

    private let log: EventLog

    package init(log: EventLog) { self.log = log }

    /// Completes a new or half-built generation, checks it, flushes it, stores its checksum and closes it.
    ///
    /// - Parameter known: an existing generation to bring up to date instead. It is not removed if it fails the check.
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
        // Flushed before the pointer names it, so that a power failure cannot destroy a generation in use.
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
            let opened = try DiscoveryFile.resume(with: known, in: lock.folder)
            if try opened.fits(log) { return opened }
            throw ReadModelError(.mismatch, model: Discovery.name, "\(known.text) belongs to another log")
        }
        if let unfinished = lock.unfinished(schemaVersion: DiscoverySchema.version) {
            do throws(ReadModelError) {
                let opened = try DiscoveryFile.resume(with: unfinished, in: lock.folder)
                if try opened.fits(log) { return opened }
            } catch {
                guard error.code == .damaged else { throw error }
            }
        }
        return try DiscoveryFile.resume(with: try lock.begin(schemaVersion: DiscoverySchema.version), in: lock.folder)
    }

    /// Applies events up to ``ProjectionLimits/handoverLagEvents`` before the head. Returns how many.
    @available(*, noasync)
    private func fill(_ file: DiscoveryFile, _ observe: ModelBuilder.Observer) throws(ReadModelError) -> Int {
        var follower = try DiscoveryFollower(file, log: log)
        var head = log.head
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
