import Console
import LoadGenerator

/// A progress bar for each part of a run.
struct Bars: Sendable {
    private let opening: ProgressBar
    private let mixing: ProgressBar
    private let checking: ProgressBar

    init(_ plan: LoadPlan) {
        opening = ProgressBar(label: "open", total: 2 * (plan.accounts + plan.shops) + 2 * plan.shops, unit: "answers")
        mixing = ProgressBar(label: "load", total: 0, unit: "answers")
        checking = ProgressBar(label: "check", total: 0, unit: "answers")
    }

    @Sendable func show(_ part: LoadRun.Part, _ answers: Int) {
        switch part {
        case .opening: opening.advance(to: answers)
        case .mixing:
            opening.finish()
            mixing.advance(to: answers)
        case .checking:
            mixing.finish()
            checking.advance(to: answers)
        }
    }
}
