import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import ReadModels
import Search

/// Compares the read models with the log, each in its own process.
///
/// LMDB has no checksums, so a changed byte in a page can end the process with a signal. That is a finding about the model.
struct CompareTask {
    let folder: AuditedFolder
    let format: OutputFormat
    /// Whether to search for the event that caused a difference.
    let bisects: Bool

    private static let differs: Int32 = 1

    /// Exits with 1 if the model differs.
    func compare(_ name: String) throws {
        let log = try folder.log(.readOnly)
        if name == Discovery.name {
            let verdict = try DiscoveryComparison(models: folder.models, log: log).verdict()
            return try show(verdict, of: name) { difference in try Bisection(folder, log: log).diagnosis(ofDiscovery: difference) }
        }
        guard let model = ReadModels.model(named: name) else { throw ValidationError("There is no model '\(name)'.") }
        let verdict = try withProgress(name, over: log) { progress in
            try Comparison(models: folder.models, log: log).verdict(of: model, step: progress)
        }
        try show(verdict, of: name) { difference in
            try withProgress(name + " bisect", over: log) { progress in
                try Bisection(folder, log: log).diagnosis(of: difference, in: model, step: progress)
            }
        }
    }

    private func show(_ verdict: ModelVerdict, of name: String, _ diagnose: (ModelDifference) throws -> Diagnosis) throws {
        var diagnosis: Diagnosis?
        if bisects, case .different(let difference) = verdict { diagnosis = try diagnose(difference) }
        try StandardOutput.say(VerdictText(model: name, verdict: verdict, diagnosis: diagnosis).text(format))
        if case .different = verdict { throw ExitCode(Self.differs) }
    }

    /// Compares all models, and exits with 1 for a difference, or else with 2 for a model that could not be compared.
    func compareAll() throws {
        // A damaged log is reported once, and not as a fault of each model.
        let log = try folder.log(.readOnly)
        try withProgress("log", over: log) { progress in try log.requireRecords(step: progress) }
        try log.close()
        var output = StandardOutput()
        var (found, failed) = (false, false)
        for name in ReadModels.names + [Discovery.name] {
            let (text, end) = try run(name)
            switch end {
            case .exited(let code):
                text.split(separator: "\n").forEach { output.write(String($0)) }
                try output.flush()
                found = found || code == Self.differs
                failed = failed || (code != 0 && code != Self.differs)
            case .killed(let signal) where Self.signalsOfDamage.contains(signal):
                let difference = ModelDifference.damaged(
                    model: name, "the storage engine was led astray by a changed page and ended by signal \(signal)")
                output.write(VerdictText(model: name, verdict: .different(difference)).text(format))
                try output.flush()
                found = true
            case .killed(let signal):
                let remedy = "Give it more memory, or compare it alone: --compare-model \(name)."
                StandardError.write("\(name) could not be compared: its process was ended by signal \(signal). \(remedy)")
                failed = true
            }
        }
        if found { throw ExitCode(Self.differs) }
        if failed { throw ExitCode(ErrorReport.code) }
    }

    /// The signals by which a damaged page can end a process. Others were sent on purpose, or by a system without memory.
    private static let signalsOfDamage: Set<Int32> = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]

    private enum End {
        case exited(Int32)
        case killed(Int32)
    }

    /// Both processes have the same standard error, where the progress bar appears.
    private func run(_ model: String) throws -> (output: String, end: End) {
        let process = Process()
        let pipe = Pipe()
        process.executableURL = Bundle.main.executableURL
        process.arguments =
            ["--data", folder.path, "--compare", "--compare-model", model, "--format", format.rawValue] + (bisects ? ["--bisect"] : [])
        var environment = ProcessInfo.processInfo.environment
        environment["SWIFT_BACKTRACE"] = "enable=no"
        process.environment = environment
        process.standardOutput = pipe
        do { try process.run() } catch {
            throw AuditError(.log, "cannot start a process to compare in: \(error).", remedy: "Check the limits of this account.")
        }
        let output = String(decoding: pipe.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
        process.waitUntilExit()
        let code = process.terminationStatus
        return (output, process.terminationReason == .exit ? .exited(code) : .killed(code))
    }
}

struct VerdictText {
    let model: String
    let verdict: ModelVerdict
    var diagnosis: Diagnosis?

    func text(_ format: OutputFormat) -> String {
        switch (verdict, format) {
        case (.equal(let position, let rows), .text): "equal  \(model)  position \(position)  rows \(rows)"
        case (.equal(let position, let rows), .jsonl):
            JSONLine.text(["verdict": "equal", "model": model, "position": position.rawValue, "rows": rows])
        case (.different(let difference), .text): "different  \(difference)" + (diagnosis.map { "\n\($0)" } ?? "")
        case (.different(let difference), .jsonl): JSONLine.text(members(difference))
        }
    }

    private func members(_ difference: ModelDifference) -> [String: Any?] {
        [
            "verdict": "different", "model": model, "kind": difference.kind.rawValue, "position": difference.position?.rawValue,
            "table": difference.table, "key": difference.key, "stored": difference.stored, "expected": difference.expected,
            "detail": difference.detail, "diagnosis": diagnosis.map(members(_:)),
        ]
    }

    private func members(_ diagnosis: Diagnosis) -> [String: Any] {
        JSONLine.object([
            "cause": diagnosis.cause.rawValue, "remedy": diagnosis.remedy, "position": diagnosis.position?.rawValue, "type": diagnosis.type,
            "event": diagnosis.event, "table": diagnosis.table, "key": diagnosis.key, "before": diagnosis.before,
            "stored": diagnosis.stored, "expected": diagnosis.expected, "detail": diagnosis.detail,
        ])
    }
}
