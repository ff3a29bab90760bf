import Audit
import Console
import EventLog
import LoyaltyCodec

/// Prints events, or the digest of the state that they amount to.
struct PrintTask {
    let folder: AuditedFolder
    let format: OutputFormat
    let selection: Selection

    /// One line for each event asked for.
    func printEvents() throws {
        let log = try folder.log(.readOnly)
        var output = StandardOutput()
        try selection.listing.forEach(in: log) { fact in
            output.write(format == .text ? FactText.line(fact) : FactText.json(fact))
        }
        try output.flush()
    }

    /// `digest  <hex>  events N  position P`, then a line for each model; or one JSON object.
    func printDigest() throws {
        let log = try folder.log(.readOnly)
        let bar = ProgressBar(label: "replay", total: Int(clamping: log.head.rawValue), unit: "events")
        let replay = try Replay(of: log, until: selection.listing.bound) { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        let digest = StateDigest(of: replay)
        var output = StandardOutput()
        for line in format == .text ? text(digest) : [json(digest)] where !output.write(line) { break }
        try output.flush()
    }

    private func text(_ digest: StateDigest) -> [String] {
        ["digest  \(digest.hex)  events \(digest.events)  position \(digest.position)"]
            + digest.models.map { "\($0.model)  \($0.hex)  rows \($0.rows)" }
    }

    private func json(_ digest: StateDigest) -> String {
        let models = digest.models.map { #"{"model":"\#($0.model)","digest":"\#($0.hex)","rows":\#($0.rows)}"# }
        return #"{"digest":"\#(digest.hex)","events":\#(digest.events),"position":\#(digest.position),"#
            + #""models":[\#(models.joined(separator: ","))]}"#
    }
}
