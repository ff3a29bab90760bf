import Console
import TillImport

/// A progress bar for each part of an import, which begins when that part does: else its rate would be a mean over what came before.
struct ImportBars {
    /// Most files are read in less, and need no line for it.
    private static let readingPatienceSeconds = 1.0

    private var reading: ProgressBar?
    private var playing: ProgressBar?

    mutating func show(_ step: ImportStep) {
        switch step {
        case .reading(let bytes, let total):
            let bar = reading ?? ProgressBar(label: "read", total: total, unit: "bytes", patienceSeconds: Self.readingPatienceSeconds)
            reading = bar
            bar.advance(to: bytes)
        case .playing(let visits, let total):
            reading?.finish()
            let bar = playing ?? ProgressBar(label: "import", total: total, unit: "visits")
            playing = bar
            bar.advance(to: visits)
        }
    }

    /// Ends whichever is shown.
    func finish() {
        reading?.finish()
        playing?.finish()
    }
}
