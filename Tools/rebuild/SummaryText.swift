import EventLog
import ReadModels

/// What a rebuild came to, as it is printed.
struct SummaryText {
    let summary: BuildSummary
    /// In all tables.
    let rows: Int
    let digest: String

    func text(json: Bool) -> String {
        // Thousandths: no locale, no exponent.
        let seconds = "\((summary.seconds * 1_000).rounded() / 1_000)"
        let rate = "\(Int(summary.rate))"
        if json {
            return #"{"model":"\#(summary.model)","generation":"\#(summary.generation)","position":\#(summary.position),"#
                + #""events":\#(summary.position),"applied":\#(summary.applied),"rows":\#(rows),"#
                + #""seconds":\#(seconds),"eventsPerSecond":\#(rate),"digest":"\#(digest)"}"#
        }
        return "\(summary.model)  \(summary.generation)  events \(summary.position)  applied \(summary.applied)  rows \(rows)  "
            + "\(seconds) s  \(rate) events/s  digest \(digest)"
    }
}
