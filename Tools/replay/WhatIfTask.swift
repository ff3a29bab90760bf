import Audit
import Console
import EventLog
import WhatIf

/// Runs a log through changed rules, with a progress bar.
struct WhatIfTask {
    let folder: AuditedFolder
    let question: WhatIf

    func report() throws(AuditError) -> WhatIfReport {
        let log = try folder.log(.readOnly)
        let bar = ProgressBar(label: "what-if", total: Int(clamping: log.head.rawValue), unit: "events")
        let report = try question.run(on: log) { bar.advance(to: Int(clamping: $0.rawValue)) }
        bar.finish()
        return report
    }

    /// Writes a file whole or not at all.
    static func write(_ text: String, to path: String) throws(AuditError) {
        try OutputFile.write(Array(text.utf8), to: path)
    }
}
