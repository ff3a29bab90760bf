import Testing

@testable import HTTPAPI

/// Faults reported by `/readyz`, which appear and disappear.
@Suite struct FaultLooksTests {
    private let full = ServiceFault(code: "diskFull", subject: nil, isReason: true)
    private let map = ServiceFault(code: "mapNearlyFull", subject: "log", isReason: false)

    @Test("Each condition is told once when it appears and once when it has gone, with its length")
    func looks() {
        var looks = FaultLooks()
        let start = ContinuousClock.now
        #expect(looks.look(at: [], now: start).isEmpty)
        #expect(looks.look(at: [map, full], now: start).map(\.fault) == [full, map])
        #expect(looks.look(at: [map, full], now: start + .seconds(5)).isEmpty)
        let gone = looks.look(at: [map], now: start + .seconds(7))
        #expect(gone == [FaultLooks.News(fault: full, seconds: 7)])
        let again = looks.look(at: [full], now: start + .seconds(9))
        #expect(again == [FaultLooks.News(fault: map, seconds: 9), FaultLooks.News(fault: full, seconds: nil)])
    }

    @Test("The same fault of another model is a condition of its own")
    func subjects() {
        var looks = FaultLooks()
        let faults = ["cards", "ratings"].map { ServiceFault(code: "modelStopped", subject: $0, isReason: true) }
        #expect(looks.look(at: [faults[0]], now: .now).count == 1)
        #expect(looks.look(at: faults, now: .now).map(\.fault) == [faults[1]])
    }
}
