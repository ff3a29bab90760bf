import Loyalty
import Testing
@testable import TillImport

@Suite struct VisitHistoryTests {
    private func row(_ microseconds: Int64, _ customer: String?, _ shop: String = "", at place: Coordinate? = nil) -> VisitRow {
        VisitRow(time: Instant(microseconds: microseconds), customer: customer, shop: shop, location: place)
    }

    @Test("Visits are sorted by time, and those at the same time keep the file's order")
    func sortedByTime() {
        var history = VisitHistory()
        for (line, time) in [30, 10, 20, 10, 30, 10].enumerated() { history.add(row(Int64(time), "c\(line)"), line: line + 2) }
        history.sortByTime()
        #expect(history.visits.map(\.line) == [3, 5, 7, 4, 2, 6])
        #expect(history.visits.map { history.customers[$0.customer] } == ["c1", "c3", "c5", "c2", "c0", "c4"])
    }

    @Test("A shop's location is that of its earliest row with coordinates")
    func shopLocation() {
        let (old, new) = (Coordinate(latitude: 1, longitude: 1), Coordinate(latitude: 2, longitude: 2))
        var history = VisitHistory()
        history.add(row(30, nil, "A", at: new), line: 2)
        history.add(row(20, nil, "A", at: old), line: 3)
        history.add(row(10, nil, "A"), line: 4)
        history.add(row(10, nil, "B"), line: 5)
        #expect(history.location(ofShop: 0) == old)
        #expect(history.location(ofShop: 1) == nil)
        #expect(history.shops.names == ["A", "B"])
        #expect(history.visits.allSatisfy { $0.customer == Visit.none })
    }

    @Test("A visit takes 24 bytes in memory")
    func aVisitTakes24Bytes() {
        #expect(MemoryLayout<Visit>.stride == 24)
    }

    @Test("Names are compared by their bytes, so two Unicode forms of one name are two names")
    func namesByBytes() {
        var names = NameTable()
        #expect(names.number(of: "caf\u{E9}") == 0)
        #expect(names.number(of: "cafe\u{301}") == 1)
        #expect(names.number(of: "caf\u{E9}") == 0)
        #expect(names.count == 2)
    }
}
