import EventLog
import Testing

@testable import Projections
@testable import ReadModels

/// Reports about the models in the service's log: each change is reported once.
@Suite struct ModelNewsTests {
    private func model(_ name: String, failure: ReadModelError? = nil, renewalFailure: ReadModelError? = nil) -> ModelStatus {
        ModelStatus(
            name: name, position: Position(7), lag: 0, failure: failure, built: nil, generation: "v1-g1", renewalFailure: renewalFailure)
    }

    private func refused(_ model: String, at position: UInt64) -> ReadModelError {
        ReadModelError(.eventRefused, model: model, position: Position(position), eventType: "CardStamped", "no such card")
    }

    private func told(_ old: [ModelStatus], _ new: [ModelStatus]) -> [String] {
        ModelNews.between(old, new).map { news in
            switch news {
            case .stopped(let failure): "stopped \(failure.model) \(failure.position.map { "\($0)" } ?? "-")"
            case .goesOn(let model): "goes on \(model)"
            case .notRenewed(let failure): "not renewed \(failure.model)"
            }
        }
    }

    @Test("Nothing is reported about models that follow the log")
    func well() {
        let well = [model("cards"), model("ratings")]
        #expect(told([], well) == [] && told(well, well) == [])
    }

    @Test("A stop, another failure and a resumption are each reported once")
    func stopped() {
        let well = [model("cards"), model("ratings")]
        let bad = [model("cards", failure: refused("cards", at: 8)), model("ratings")]
        let worse = [model("cards", failure: refused("cards", at: 9)), model("ratings")]
        #expect(told([], bad) == ["stopped cards 8"])
        #expect(told(well, bad) == ["stopped cards 8"])
        #expect(told(bad, bad) == [])
        #expect(told(bad, worse) == ["stopped cards 9"])
        #expect(told(worse, well) == ["goes on cards"])
    }

    @Test("A failed renewal is reported once")
    func notRenewed() {
        let stale = [model("cards", renewalFailure: refused("cards", at: 3)), model("ratings")]
        #expect(told([model("cards")], stale) == ["not renewed cards"])
        #expect(told(stale, stale) == [] && told(stale, [model("cards")]) == [])
    }
}
