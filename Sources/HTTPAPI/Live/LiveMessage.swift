import CommandService
import EventLog
import Loyalty
import NIOCore

/// One message of a stream of Server-Sent Events, as the HTML standard writes it.
///
/// The id is the event's position in the log, so that a reader that comes back with it misses nothing and gets nothing twice.
enum LiveMessage {
    /// The first words: how soon to come back, and with which id as long as no event has come. A message without data is no event.
    static func opening(after position: Position) -> String {
        "retry: \(Limits.liveRetryMilliseconds)\nid: \(position.rawValue)\n\n"
    }

    /// A comment, so that whoever is between does not take the stream for dead.
    static let beat = ": beat\n\n"

    /// A comment that says why there is no more, for people.
    static func ending(_ reason: LiveEnding) -> String { ": end \(reason)\n\n" }

    /// An event; its data is one line, for JSON has no other line ends than escaped ones.
    static func write(_ event: LiveEventAnswer, to buffer: inout ByteBuffer) {
        buffer.writeString("id: \(event.fact.position)\nevent: \(event.name)\ndata: ")
        var json = JSONWriter()
        event.write(to: &json)
        buffer.writeBytes(json.bytes)
        buffer.writeString("\n\n")
    }
}
