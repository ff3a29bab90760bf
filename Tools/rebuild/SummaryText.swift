import Audit
import EventLog
import ReadModels

/// What a rebuild came to, as it is printed.
struct SummaryText {
    private let outcome: RebuildOutcome

    init(_ outcome: RebuildOutcome) { self.outcome = outcome }

    func text(json: Bool) -> String {
        // Thousandths: no locale, no exponent.
        let seconds = "\((outcome.seconds * 1_000).rounded() / 1_000)"
        let rate = "\(Int(outcome.rate))"
        if json {
            let previous = outcome.previous.map { "\"\($0)\"" } ?? "null"
            return #"{"model":"\#(outcome.model)","generation":"\#(outcome.generation)","previous":\#(previous),"#
                + #""position":\#(outcome.position),"events":\#(outcome.position),"resumedAt":\#(outcome.resumedAt),"#
                + #""applied":\#(outcome.applied),"rows":\#(outcome.rows),"seconds":\#(seconds),"eventsPerSecond":\#(rate),"#
                + #""switchedBy":"\#(outcome.switcher.rawValue)","digest":"\#(outcome.digest)"}"#
        }
        let resumed = outcome.resumedAt > .start ? "  from \(outcome.resumedAt)" : ""
        return "\(outcome.model)  \(outcome.generation)  events \(outcome.position)\(resumed)  applied \(outcome.applied)  "
            + "rows \(outcome.rows)  \(seconds) s  \(rate) events/s  switched by the \(outcome.switcher.rawValue)  digest \(outcome.digest)"
    }
}
