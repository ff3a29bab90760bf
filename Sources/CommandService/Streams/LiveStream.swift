public import EventLog
public import Loyalty

/// One account's events as they happen, from a position on: see ``LiveHub/open(for:session:until:after:)``.
///
/// One task at a time reads it. It closes with the last reference.
///
/// A stream checks after its opening whether its session has ended: from the opening on it receives that event.
public final class LiveStream: Sendable {
    private let hub: LiveHub
    private let number: UInt64
    /// The position that it begins behind: what to come back with before anything was received.
    public let startsAfter: Position

    init(hub: LiveHub, number: UInt64, startsAfter: Position) {
        self.hub = hub
        self.number = number
        self.startsAfter = startsAfter
    }

    deinit { hub.close(number) }

    /// The next events, as many as there are at once; or that a beat is due; or that it is over. Waits.
    ///
    /// Resumed behind any event that it gave, another stream of the account gives exactly those that this one would have given
    /// next, except that shops where the account works no more are left out.
    ///
    /// - Throws: ``ServiceError/failed(_:)`` where the log cannot be read.
    @concurrent
    public func next() async throws(ServiceError) -> LiveItem {
        do {
            return try await hub.next(number)
        } catch {
            throw .failed(String(describing: error))
        }
    }

    /// Ends it; what is reading hears so.
    public func end(_ reason: LiveEnding) { hub.end(number, reason) }

    /// Whether nothing is left to be given.
    package var isIdle: Bool { hub.isIdle(number) }
}

/// One item of a stream.
public enum LiveItem: Hashable, Sendable {
    /// Events in the order of the log; never an empty list.
    case events([Fact])
    /// Nothing has happened for a while: a word that the stream is still there is due.
    case beat
    case ended(LiveEnding)
}

/// Why a stream ended.
public enum LiveEnding: Hashable, Sendable {
    /// The access token is over; its holder refreshes it and comes again.
    case expired
    /// The session of the stream has ended.
    case signedOut
    /// The service is stopping, or can not read its log.
    case stopping
    /// Nobody is there to read.
    case gone
}

/// Why no stream is opened.
public enum LiveRefusal: Error, Hashable, Sendable {
    /// The account has as many as it may.
    case tooManyOfAccount
    /// The service has as many as it can serve.
    case tooMany
    /// The stream is to begin behind the log's head.
    case beyondHead
}
