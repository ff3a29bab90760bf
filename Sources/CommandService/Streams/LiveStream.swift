public import EventLog
public import Loyalty

/// One account's events from a position on, as they happen: see ``LiveHub/open(for:session:until:after:)``.
///
/// Only one task at a time may read the stream. It closes when the last reference to it is released.
public final class LiveStream: Sendable {
    private let hub: LiveHub
    private let number: UInt64
    /// The position from which a client that has received nothing resumes.
    public let startsAfter: Position

    init(hub: LiveHub, number: UInt64, startsAfter: Position) { (self.hub, self.number, self.startsAfter) = (hub, number, startsAfter) }

    deinit { hub.close(number) }

    /// A stream resumed after a delivered event continues exactly there.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` if the log cannot be read.
    @concurrent
    public func next() async throws(ServiceError) -> LiveItem {
        do {
            return try await hub.next(number)
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// Ends the stream. Its reader gets the reason.
    public func end(_ reason: LiveEnding) { hub.end(number, reason) }

    package var isIdle: Bool { hub.isIdle(number) }
}

/// One item of a stream.
public enum LiveItem: Hashable, Sendable {
    /// The oldest first; never empty.
    case events([Fact])
    case beat
    case ended(LiveEnding)
}

/// The reason why a stream ended.
public enum LiveEnding: Hashable, Sendable {
    case expired
    case signedOut
    /// The service is stopping, or cannot read its log.
    case stopping
    case gone
}

/// The reason why a stream is not opened.
public enum LiveRefusal: Error, Hashable, Sendable {
    case tooManyOfAccount
    case tooMany
    case beyondHead
}
