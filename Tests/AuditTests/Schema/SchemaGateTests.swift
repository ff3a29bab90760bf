import EventLog
import Foundation
import Histories
import LoyaltyCodec
import Testing

@testable import Archive
@testable import Audit

/// The meaning of a stored event is frozen; a change needs a written reason. `GREENTEA_RECORD=1` adds new entries and never changes
/// existing ones.
@Suite struct SchemaGateTests {
    static let repository = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().path

    private static func gate() throws -> (SchemaGate, SchemaFixtures) {
        let fixtures = try SchemaFixtures(repository: repository)
        return (SchemaGate(fixtures, try SchemaState(of: fixtures) { try TestData().log() }), fixtures)
    }

    @Test("Stored events mean what they meant when they were frozen, or the change has a written reason")
    func sameMeaning() throws {
        if FixtureLog.isRecording {
            try FixtureLog.record()
            let recorded = try Self.gate().0.recorded
            try recorded.write(toFile: "\(FixtureLog.folder)/FROZEN.txt", atomically: true, encoding: .utf8)
        }
        let refusals = try Self.gate().0.refusals
        #expect(refusals.isEmpty, "\n\(refusals.joined(separator: "\n\n"))\n")
    }

    @Test("The recorded catalogue of events is current and has no contradictions")
    func currentCatalogue() throws {
        let catalogue = EventCatalogue(try SchemaFixtures(repository: Self.repository))
        if FixtureLog.isRecording {
            try catalogue.text.write(toFile: "\(FixtureLog.folder)/CATALOGUE.md", atomically: true, encoding: .utf8)
        }
        let current = try SchemaFixtures(repository: Self.repository).catalogue
        #expect(catalogue.text == current, "record the catalogue again: GREENTEA_RECORD=1 swift test --filter SchemaGateTests")
        #expect(catalogue.contradictions == [])
    }

    @Test("The record of the frozen schema is unbroken, complete and has two entries for each stored event")
    func frozenRecord() throws {
        let (gate, fixtures) = try Self.gate()
        let frozen = FrozenSchema(fixtures.frozen)
        #expect(frozen.brokenLine == nil && frozen.text == fixtures.frozen && gate.recorded == fixtures.frozen)
        #expect(frozen.entries.count(where: { $0.name.hasPrefix("event ") }) == 2 * fixtures.goldens.count)
    }
}
