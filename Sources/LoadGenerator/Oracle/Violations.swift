import Synchronization

/// Rules that the server broke. Any lane may report.
final class Violations: Sendable {
    private let state = Mutex((count: 0, texts: [String]()))

    func report(_ text: String) {
        state.withLock { state in
            state.count += 1
            if state.texts.count < Limits.violationsKeptMax { state.texts.append(text) }
        }
    }

    /// Reports unless it holds.
    func require(_ condition: Bool, _ text: @autoclosure () -> String) {
        if !condition { report(text()) }
    }

    var count: Int { state.withLock { $0.count } }

    /// The first of them, in words.
    var texts: [String] { state.withLock { $0.texts } }
}
