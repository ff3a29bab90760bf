import CommandService
import Hummingbird
import Loyalty
import Synchronization

/// When and by what each session was last seen, as its holder is shown it.
///
/// Noted when a session begins, is refreshed, and when one of its access tokens is first shown to this process: about every quarter of an
/// hour while it is used. None of it enters the log. An event for each sighting would outgrow everything else there, and what somebody's
/// browser calls itself would stay for ever although nobody needs it after the session. A restart forgets; then the log still says when the
/// session began and was last refreshed, and the device is known again with its next request. Bounded. Any thread may call.
final class Sightings: Sendable {
    /// The last time that a session was seen.
    struct Sighting: Hashable, Sendable {
        let at: Instant
        /// From `User-Agent`; nil where the client sent none.
        let device: String?
    }

    private let sightings = Mutex(GenerationalCache<SessionID, Sighting>(limit: Limits.sightedSessionsMax))
    private let clock: any Clock

    init(clock: any Clock) {
        self.clock = clock
    }

    func note(_ session: SessionID, _ request: Request) {
        let sighting = Sighting(at: clock.now(), device: Self.device(request.headers[.userAgent]))
        sightings.withLock { $0[session] = sighting }
    }

    subscript(session: SessionID) -> Sighting? { sightings.withLock { $0[session] } }

    /// Printable ASCII alone, cut to a length.
    private static func device(_ text: String?) -> String? {
        let kept = (text ?? "").unicodeScalars.lazy.filter { (0x20...0x7E).contains($0.value) }.prefix(Limits.deviceCharactersMax)
        return kept.isEmpty ? nil : String(String.UnicodeScalarView(kept))
    }
}
