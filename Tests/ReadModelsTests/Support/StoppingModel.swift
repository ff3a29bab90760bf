import EventLog

@testable import Projections
@testable import ReadModels

/// A model whose follower fails at once, as with a damaged file.
struct StoppingModel {
    let waiting: WaitingModel

    private struct Follower: ModelFollower {
        let position: Position
        let applied = 0

        @available(*, noasync)
        mutating func advance(towards head: Position) throws(ReadModelError) {
            throw ReadModelError(.damaged, model: "small", "made by a test")
        }

        mutating func settle() {}
    }

    init(position: Position, folder: ModelFolder, log: EventLog, box: ModelBox<SmallModel<FirstVersion>>) {
        waiting = WaitingModel(
            name: "small", position: position, reason: nil, generation: Generation(schemaVersion: 1, number: 1),
            follower: { () throws(ReadModelError) -> any ModelFollower in Follower(position: position) }, close: {},
            exchange: ModelExchange(box, folder, served: 1, log))
    }
}
