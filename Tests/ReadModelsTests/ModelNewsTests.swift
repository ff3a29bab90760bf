import EventLog
import Testing

@testable import Projections
@testable import ReadModels

/// The service writes lines about its models to its own log. It reports each change once.
@Suite struct ModelNewsTests {
    private func model(
        _ name: String, failure: ReadModelError? = nil, renewalFailure: ReadModelError? = nil, loss: ReadModelError? = nil,
        remade: Int = 0
    ) -> ModelStatus {
        ModelStatus(
            name: name, position: Position(7), lag: 0, failure: failure, built: nil, generation: "v1-g1", renewalFailure: renewalFailure,
            loss: loss, remade: remade)
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
            case .lost(let loss): "lost \(loss.model) \(loss.code)"
            case .remade(let model): "remade \(model)"
            }
        }
    }

    @Test("A stopped model does not retry by itself, so the remedy of each failure that a restart can end names the restart")
    func remedies() {
        for code in [.eventRefused, .storage, .log] as [ReadModelError.Code] {
            let remedy = ReadModelError(code, model: "cards", "made by a test").remedy
            #expect(remedy.contains("start again") || remedy.contains("start it again"), "\(remedy)")
        }
    }

    @Test("Nothing is reported about models that follow the log")
    func well() {
        let well = [model("cards"), model("ratings")]
        #expect(told([], well) == [] && told(well, well) == [])
    }

    @Test("Removed files, a failure to make them again, and their return are each reported once")
    func lost() {
        let (well, gone) = ([model("cards")], [model("cards", loss: ReadModelError(.removed, model: "cards", "v1-g1"))])
        let full = [model("cards", loss: ReadModelError(.storage, model: "cards", "no room"))]
        #expect(told(well, gone) == ["lost cards removed"] && told(gone, gone) == [])
        #expect(told(well, [model("cards", remade: 1)]) == ["lost cards removed", "remade cards"], "the files vanished and came back")
        #expect(told(gone, full) == ["lost cards storage"] && told(full, well) == ["remade cards"])
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
