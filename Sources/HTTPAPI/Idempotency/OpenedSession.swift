import EventLog
import Loyalty

/// A session that was begun or refreshed, as it was answered.
struct OpenedSession: Sendable {
    let session: SessionID
    let answer: SessionAnswer
    let position: Position
}
