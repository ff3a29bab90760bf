import Audit
import EventLog
import Foundation
import Merkle

/// What came of a verification, as it is printed.
struct VerifyText {
    let report: VerifyReport
    /// Where a clean copy was put; nil where it was only looked at.
    var restored: String?

    func lines(json: Bool) -> [String] { json ? [JSONLine.text(members)] : text }

    private var text: [String] {
        var lines = report.findings.map { "\($0)" }
        let more = report.findingCount - report.findings.count
        if more > 0 { lines.append("… and \(more) more findings") }
        for kind in Finding.Kind.allCases where report.findings.contains(where: { $0.kind == kind }) {
            lines.append("what to do (\(kind.rawValue)): \(kind.remedy)")
        }
        lines += report.notes.map { "note: \($0)" }
        let isRestored = restored != nil && report.isClean
        return lines + [isRestored ? "restored  events \(report.head)\(root)  to \(restored ?? "")" : summary]
    }

    private var summary: String {
        let checkpoint = report.checkpoint.map { "  checkpoint \($0)" } ?? ""
        let indexed = report.indexed.map { "  index \($0)" } ?? ""
        let verdict = report.isClean ? "clean" : "damaged"
        return "\(verdict)  events \(report.head)\(root)\(checkpoint)\(indexed)  findings \(report.findingCount)"
    }

    private var root: String { report.root.map { "  root \($0.hex)" } ?? "" }

    private var members: [String: Any] {
        var members: [String: Any] = [
            "verdict": report.isClean ? "clean" : "damaged", "events": report.head.rawValue, "findingCount": report.findingCount,
            "findings": report.findings.map(Self.members), "notes": report.notes,
        ]
        members["root"] = report.root?.hex
        members["checkpoint"] = report.checkpoint
        members["index"] = report.indexed?.rawValue
        if let restored { (members["restored"], members["to"]) = (report.isClean, restored) }
        return members
    }

    private static func members(_ finding: Finding) -> [String: Any] {
        var members: [String: Any] = ["kind": finding.kind.rawValue, "what": finding.what, "remedy": finding.remedy]
        members["position"] = finding.position?.rawValue
        members["page"] = finding.page
        members["file"] = finding.file
        return members
    }
}
