public import EventLog
public import Loyalty

/// One account's events from a position on, as they happen: see ``LiveHub/open(for:session:until:after:)``.
///
/// Only one task at a time may read the stream. It closes when the last reference to it is released.
///
/// After it was opened, a stream checks whether its session had ended before. If the session ends later, an event tells the stream.
public final class LiveStream: Sendable {
    private let hub: LiveHub
    private let number: UInt64
    /// The position after which the stream begins. A client that has received nothing resumes from it.
    public let startsAfter: Position

    init(hub: LiveHub, number: UInt64, startsAfter: Position) {
        self.hub = hub
        self.number = number
        self.startsAfter = startsAfter
    }

    deinit { hub.close(number) }

    /// Returns the next item: events that are available, a due heartbeat, or the end of the stream. Suspends until there is an item.
    ///
    /// A stream that is resumed after a delivered event delivers exactly the events that this stream would have delivered next, except
    /// those of shops where the account no longer works.
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

    /// Whether the reader would have to wait: the stream has not ended, no heartbeat is due, and all available events were delivered or the
    /// account may not read the log now.
    package var isIdle: Bool { hub.isIdle(number) }
}

/// One item of a stream.
public enum LiveItem: Hashable, Sendable {
    /// Events, the oldest first; never an empty list.
    case events([Fact])
    /// Nothing has happened for a while, so a heartbeat is due.
    case beat
    case ended(LiveEnding)
}

/// The reason why a stream ended.
public enum LiveEnding: Hashable, Sendable {
    /// The access token has expired; the client refreshes it and reconnects.
    case expired
    /// The session of the stream has ended.
    case signedOut
    /// The service is stopping, or cannot read its log.
    case stopping
    /// The reader of the stream has ended, for example because its client closed the connection.
    case gone
}

/// The reason why a stream is not opened.
public enum LiveRefusal: Error, Hashable, Sendable {
    /// The account has the maximum number of streams.
    case tooManyOfAccount
    /// The service has the maximum number of streams.
    case tooMany
    /// The requested position is beyond the log's head.
    case beyondHead
}
