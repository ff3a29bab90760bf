import Audit
import EventLog
import ReadModels

/// What a rebuild came to, as it is printed.
struct SummaryText {
    let summary: BuildSummary
    let digest: ModelDigest

    func text(json: Bool) -> String {
        // Thousandths: no locale, no exponent.
        let seconds = "\((summary.seconds * 1_000).rounded() / 1_000)"
        let rate = "\(Int(summary.rate))"
        if json {
            return #"{"model":"\#(summary.model)","generation":"\#(summary.generation)","position":\#(summary.position),"#
                + #""events":\#(summary.position),"applied":\#(summary.applied),"rows":\#(digest.rows),"#
                + #""seconds":\#(seconds),"eventsPerSecond":\#(rate),"digest":"\#(digest.hex)"}"#
        }
        return "\(summary.model)  \(summary.generation)  events \(summary.position)  applied \(summary.applied)  rows \(digest.rows)  "
            + "\(seconds) s  \(rate) events/s  digest \(digest.hex)"
    }
}
