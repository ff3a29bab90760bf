import Archive
import ArgumentParser
import Console
import EventLog
import Foundation
import LoyaltyCodec

/// `greentea-audit catalogue`: lists every form of event that was ever stored, as recorded in the sources of this program.
struct CatalogueCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "catalogue", abstract: "Print every event shape ever stored, or check that all of them still mean what they meant.",
        discussion: """
            For those who change this program: it reads Fixtures/events and events.proto of a checkout, and no data folder. The \
            tests do what --check does. How to change an event is told step by step in Sources/LoyaltyCodec/CHANGING.md.

            EXAMPLES
              The page, as it stands in Fixtures/events/CATALOGUE.md:
                greentea-audit catalogue
              Does every stored event mean what it meant?
                greentea-audit catalogue --check

            EXIT CODES
              0   printed; with --check: nothing is refused
              1   --check refuses something; each line says what to do
              2   no checkout of the sources, or a stored log of it is damaged
              64  wrong use
            """)

    @Option(help: ArgumentHelp("The root of the sources.", valueName: "dir"))
    var repository = "."

    @Flag(help: "Print what is refused, in place of the page.")
    var check = false

    func run() throws {
        try Outcome.report("catalogue") {
            let fixtures = try SchemaFixtures(repository: repository)
            let catalogue = EventCatalogue(fixtures)
            guard check else {
                try StandardOutput.hand(Array(catalogue.text.utf8))
                return true
            }
            let refusals = try gate(fixtures).refusals + catalogue.contradictions
            try StandardOutput.say(refusals.map { "\($0)" })
            return refusals.isEmpty
        }
    }

    /// Creates the check of the event forms against the stored logs among the fixtures, which it imports into temporary folders.
    private func gate(_ fixtures: SchemaFixtures) throws -> SchemaGate {
        let folder = FileManager.default.temporaryDirectory.appending(path: "greentea-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var count = 0
        let state = try SchemaState(of: fixtures) {
            count += 1
            let place = DataFolder("\(folder)/\(count)")
            return try EventLog(
                directory: place.log, index: place.index, schema: LoyaltySchema.schema, access: .readWrite,
                created: Timestamp(microseconds: 0))
        }
        return SchemaGate(fixtures, state)
    }
}
