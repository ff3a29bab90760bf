import ArgumentParser
import Audit
import Console
import EventLog
import Foundation
import ReadModels
import Search

/// Compares the read models with the log, each in a process of its own.
///
/// LMDB has no checksums: a changed byte in a page's structure can make LMDB read outside the file, so that a signal ends the process. Such
/// a signal is a finding about the model, and must not end the tool.
struct CompareTask {
    let folder: AuditedFolder
    let format: OutputFormat
    /// Whether to search for the event that caused a difference.
    let bisects: Bool

    /// The exit code if a model differs from the log.
    private static let differs: Int32 = 1

    /// Compares one model in this process, prints the result, and exits with 1 if it differs.
    func compare(_ name: String) throws {
        let log = try folder.log(.readOnly)
        if name == Discovery.name {
            let verdict = try DiscoveryComparison(models: folder.models, log: log).verdict()
            return try show(verdict, of: name) { difference in try Bisection(folder, log: log).diagnosis(ofDiscovery: difference) }
        }
        guard let model = ReadModels.model(named: name) else { throw ValidationError("There is no model '\(name)'.") }
        let verdict = try withProgress(of: name, log) { progress in
            try Comparison(models: folder.models, log: log).verdict(of: model, progress: progress)
        }
        try show(verdict, of: name) { difference in
            try withProgress(of: name + " bisect", log) { progress in
                try Bisection(folder, log: log).diagnosis(of: difference, in: model, progress: progress)
            }
        }
    }

    private func withProgress<Result>(of label: String, _ log: EventLog, _ body: ((Position) -> Void) throws -> Result) throws -> Result {
        let bar = ProgressBar(label: label, total: Int(clamping: log.head.rawValue), unit: "events")
        defer { bar.finish() }
        return try body { bar.advance(to: Int(clamping: $0.rawValue)) }
    }

    private func show(
        _ verdict: ModelVerdict, of name: String, _ diagnose: (ModelDifference) throws -> Diagnosis
    ) throws {
        var diagnosis: Diagnosis?
        if bisects, case .different(let difference) = verdict { diagnosis = try diagnose(difference) }
        try StandardOutput.say(VerdictText(model: name, verdict: verdict, diagnosis: diagnosis).text(format))
        if case .different = verdict { throw ExitCode(Self.differs) }
    }

    /// Compares all models one after the other, regardless of findings. Exits with 1 if a model differs from the log. Otherwise, exits with
    /// 2 if a model could not be compared, for which a reason is printed.
    func compareAll() throws {
        // A damaged log is reported once here, instead of in each model's process, and not as a fault of the models.
        let log = try folder.log(.readOnly)
        try withProgress(of: "log", log) { progress in try log.requireRecords(progress: progress) }
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

    /// The signals that can end a process because it reads a damaged page. Any other signal was sent on purpose: by an operator, or by a
    /// system that ran out of memory.
    private static let signalsOfDamage: Set<Int32> = [SIGSEGV, SIGBUS, SIGABRT, SIGILL, SIGTRAP, SIGFPE]

    private enum End {
        case exited(Int32)
        case killed(Int32)
    }

    /// Runs the comparison of one model in a new process. Both processes have the same standard error, where the progress bar appears.
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

/// The result of a comparison, as text.
struct VerdictText {
    let model: String
    let verdict: ModelVerdict
    /// The cause of the difference, if it was searched for.
    var diagnosis: Diagnosis?

    func text(_ format: OutputFormat) -> String {
        switch (verdict, format) {
        case (.equal(let position, let rows), .text): "equal  \(model)  position \(position)  rows \(rows)"
        case (.equal(let position, let rows), .jsonl):
            json(["verdict": "equal", "model": model, "position": position.rawValue, "rows": rows])
        case (.different(let difference), .text): "different  \(difference)" + (diagnosis.map { "\n\($0)" } ?? "")
        case (.different(let difference), .jsonl): json(members(difference))
        }
    }

    private func members(_ difference: ModelDifference) -> [String: Any] {
        var members: [String: Any] = ["verdict": "different", "model": model, "kind": difference.kind.rawValue]
        members["position"] = difference.position?.rawValue
        members["table"] = difference.table
        members["key"] = difference.key
        members["stored"] = difference.stored
        members["expected"] = difference.expected
        members["detail"] = difference.detail
        members["diagnosis"] = diagnosis.map(members(_:))
        return members
    }

    private func members(_ diagnosis: Diagnosis) -> [String: Any] {
        var members: [String: Any] = ["cause": diagnosis.cause.rawValue, "remedy": diagnosis.remedy]
        members["position"] = diagnosis.position?.rawValue
        members["type"] = diagnosis.type
        members["event"] = diagnosis.event
        members["table"] = diagnosis.table
        members["key"] = diagnosis.key
        members["before"] = diagnosis.before
        members["stored"] = diagnosis.stored
        members["expected"] = diagnosis.expected
        members["detail"] = diagnosis.detail
        return members
    }

    private func json(_ members: [String: Any]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: members, options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }
}
