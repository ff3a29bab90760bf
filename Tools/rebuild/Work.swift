import Audit
import Console
import EventLog
import ReadModels
import Search

/// Runs rebuilds with a progress bar, and prints what each came to.
struct Work {
    let rebuild: Rebuild
    let log: EventLog
    let json: Bool

    /// Several models, two at a time.
    ///
    /// - Throws: where what was done could not be printed; it is done all the same.
    func models(_ task: Rebuild.Task, _ types: [any Projection.Type]) throws(OutputError) -> [Result<RebuildOutcome, ReadModelError>] {
        if types.isEmpty { return [] }
        let name = types.count == 1 ? types[0].name : "\(types.count) models"
        let total = Int(clamping: log.head.rawValue) * types.count
        let bar = ProgressBar(label: name, total: total, unit: "events")
        let progress = Progress(types.map { $0.name })
        let results = rebuild.all(task, of: types) { (model, step) throws(ReadModelError) in
            if let line = progress.note(model, step) { bar.advance(to: line.done, note: line.text) }
        }
        bar.finish()
        for case .success(let outcome) in results { try StandardOutput.say(SummaryText(outcome).text(json: json)) }
        return results
    }

    /// What there is to discover, which another storage engine keeps.
    ///
    /// - Throws: as ``models(_:_:)``.
    func discovery(_ task: Rebuild.Task) throws(OutputError) -> Result<RebuildOutcome, ReadModelError> {
        let result = discovered(task)
        if case .success(let outcome) = result { try StandardOutput.say(SummaryText(outcome).text(json: json)) }
        return result
    }

    private func discovered(_ task: Rebuild.Task) -> Result<RebuildOutcome, ReadModelError> {
        let bar = ProgressBar(label: Discovery.name, total: Int(clamping: log.head.rawValue), unit: "events")
        defer { bar.finish() }
        let progress = Progress([Discovery.name])
        do throws(ReadModelError) {
            return .success(
                try rebuild.discovery(task) { (model, step) throws(ReadModelError) in
                    if let line = progress.note(model, step) { bar.advance(to: line.done, note: line.text) }
                })
        } catch {
            return .failure(error)
        }
    }
}
