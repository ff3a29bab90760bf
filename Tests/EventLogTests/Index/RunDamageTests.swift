import LMDB
import Seeds
import Testing

@testable import EventLog

/// Stored values that are missing, empty, mixed up or altered: whoever meets them says so, nobody traps, and the next opening makes
/// the index anew.
@Suite(.temporaryFolder) struct RunDamageTests {
    private func filled(_ history: inout RandomHistory) throws -> StoredRuns {
        let runs = try StoredRuns(factor: 3)
        for _ in 0..<8 { try runs.flush(history.events(40)) }
        return runs
    }

    /// Asks and merges; an error of any other kind is thrown on.
    private func use(_ runs: StoredRuns, _ history: inout RandomHistory, exactly: Bool, _ seed: UInt64) throws -> Bool {
        do {
            if exactly { try runs.expectAnswers(&history, seed) } else { try ask(runs, &history) }
            while try runs.step() {}
            return true
        } catch let error as EventLogError where error.isBrokenIndex { return false }
    }

    /// Questions to which any answer will do.
    private func ask(_ runs: StoredRuns, _ history: inout RandomHistory) throws {
        for tag in [history.tag(), shop(1), shop(0)] {
            for backwards in [true, false] {
                _ = try runs.store.page(tag, types: [], in: PositionRange(first: 1, last: 500, backwards: backwards, limit: 50))
                _ = try runs.store.page(tag, types: [.stamped], in: PositionRange(first: 9, last: 90, backwards: backwards, limit: 3))
            }
            _ = try runs.store.newest(of: tag, type: nil, through: 300)
            _ = try runs.store.count(of: tag, types: [.closed, .opened], enough: .max)
        }
    }

    @Test func aMissingOrForeignValueIsNoticedOrNotNeeded() throws {
        let generator = SeededRandom.announced("aMissingOrForeignValueIsNoticedOrNotNeeded"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let runs = try filled(&history)
        let keys = try runs.keys().filter { $0 > 0 }
        let changes: [([UInt8]) -> [UInt8]?] = [
            { _ in nil }, { [UInt8](repeating: 0, count: $0.count) }, { _ in [] }, { Array($0.dropLast()) },
        ]
        var noticed = 0
        for (number, key) in keys.enumerated() {
            let broken = try runs.afterACrash()
            try broken.tamper(key, changes[number % changes.count])
            if try !use(broken, &history, exactly: true, seed) { noticed += 1 }
        }
        // All of it is read when it is merged.
        #expect(noticed > keys.count / 2)
    }

    /// The given seed once made a block in which types descend, and a reader go from one to the next for ever.
    @Test(arguments: [836_651_971, nil]) func alteredValuesTrapNobody(_ given: UInt64?) throws {
        let generator = given.map(SeededRandom.init(seed:)) ?? .announced("alteredValuesTrapNobody"), seed = generator.seed
        var history = RandomHistory(generator: generator)
        let runs = try filled(&history)
        let keys = try runs.keys().filter { $0 > 0 }
        for _ in 0..<200 {
            let broken = try runs.afterACrash()
            try broken.tamper(history.generator.pick(keys)) { bytes in
                var bytes = bytes
                // The first eight bytes are the value's own key.
                for _ in 0..<history.generator.int(1...8) {
                    bytes[history.generator.int(8...bytes.count - 1)] = UInt8(history.generator.pick([0, 1, 0x7F, 0x80, 0xFF]))
                }
                return bytes
            }
            _ = try use(broken, &history, exactly: false, seed)
        }
    }

    @Test func whoMeetsABrokenValueTakesTheCoverageBack() throws {
        var history = RandomHistory(generator: SeededRandom(seed: 5))
        let runs = try filled(&history)
        for key in try runs.keys() where key > 0 { try runs.tamper(key) { _ in nil } }
        #expect(try runs.store.coverage()?.position == 320)
        #expect { try runs.store.newest(of: shop(1), type: nil, through: 320) } throws: { ($0 as? EventLogError)?.isBrokenIndex == true }
        #expect(try runs.store.coverage() == nil)
    }
}
