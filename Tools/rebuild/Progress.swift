import EventLog
import ReadModels
import Synchronization

/// How far several models are together, from what each reports.
final class Progress: Sendable {
    /// For the bar.
    struct Line {
        /// Events looked at, over all models.
        let done: Int
        /// How far the furthest behind is from the log's head, or what else is going on.
        let text: String
    }

    private struct State {
        var positions: [String: UInt64]
        var head: UInt64 = 0
    }

    private let state: Mutex<State>

    init(_ models: [String]) {
        state = Mutex(State(positions: Dictionary(models.map { ($0, 0) }) { first, _ in first }))
    }

    /// Takes a report in.
    ///
    /// - Returns: what to show; nil where nothing changed that is shown.
    func note(_ model: String, _ step: BuildStep) -> Line? {
        state.withLock { state in
            switch step {
            case .opened(_, let position): state.positions[model] = position.rawValue
            case .advanced(let position, let head):
                state.positions[model] = position.rawValue
                state.head = max(state.head, head.rawValue)
            case .checking: return line(state, "comparing \(model)")
            case .offered: return line(state, "handing over \(model)")
            case .closed, .switched: return nil
            }
            let behind = state.positions.values.map { state.head - min(state.head, $0) }.max() ?? 0
            return line(state, "lag \(behind)")
        }
    }

    private func line(_ state: State, _ text: String) -> Line {
        Line(done: Int(clamping: state.positions.values.reduce(0, +)), text: text)
    }
}
