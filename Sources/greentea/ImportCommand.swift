import ArgumentParser
import Audit
import Composition
import Console
import EventLog
import Foundation
import LoyaltyCodec
import PhoneNumbers
import TillImport

/// `greentea import`: executes commands for the visits in a till's CSV file, with their times.
struct ImportCommand: AsyncParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "import",
        abstract: "Import the visits that a till has recorded.",
        discussion: """
            The file is CSV with a header. Columns, in any order: visited_at (RFC 3339, such as 2024-03-01T10:15:00Z) and \
            customer; optional: shop, latitude, longitude, and stamps (1 to 10; one where it is empty); others are ignored. Each \
            customer becomes an account, each visit one issued code and its stamps at its own time; with a shop column each value \
            is a shop of its own, with one owner. With --owner-phone that is the account of this number, whoever signs in with it. \
            With --one-card all shops have one owner and one campaign, and cards are collected and redeemed at any of them.

            Rows without a customer are counted and skipped. A malformed row stops nothing: it is reported on standard error with \
            its line and the reason. Names are compared without blanks at their ends. Importing the same file again adds no event, \
            and finishes an import that was cut short.

            Refuses while a server holds the same data.

            EXAMPLES
              A coffee shop's till, ten stamps a card:
                greentea import --data ./data --visits visits.csv --shop "Corner Café" --goal 10 --redeem
              The same of a chain, whose file has a shop column, with the summary as JSON:
                greentea import --data ./data --visits chain.csv --shop "Corner Cafés" --goal 8 --json
              A chain whose cards are good at all its shops:
                greentea import --data ./data --visits chain.csv --shop "Corner Cafés" --goal 8 --one-card --owner-phone +8613800000000

            EXIT CODES
              0   done; malformed rows are counted in the last line
              1   every row of the file is malformed; the first reason is on standard error
              2   it could not be done or not completed, with the reason on standard
                  error; what was imported stands, and the same command goes on from there
              64  the command line is wrong
            """)

    @Option(help: "The data folder; made where there is none.")
    var data: String

    @Option(help: "The CSV file.")
    var visits: String

    @Option(help: "The shop's name; with a shop column, what the names of its shops begin with.")
    var shop: String

    @Option(help: "Stamps that fill a card, 1 to 50.")
    var goal: Int

    @Option(help: ArgumentHelp("The file with the master key; without it the development secret of the folder.", valueName: "file"))
    var masterKeyFile: String?

    @Option(
        help: ArgumentHelp(
            "The name of a new log, such as shop.example/stamps, which it has for ever; see serve --origin.", valueName: "name"))
    var origin: String?

    @Option(
        name: .customLong("owner-phone"),
        help: ArgumentHelp(
            "The number whose account owns the shops, such as +8613800000000; without it nobody can sign in as their owner.",
            valueName: "phone"))
    var owner: String?

    @Option(
        help: "The region of an owner's number in national form, by two letters, such as US.",
        transform: { text in try parsed(text, or: "is no region such as US.") { PhoneRegion($0) } })
    var region: PhoneRegion?

    @Flag(help: "All shops of the file have one owner, and their cards are good at each of them.")
    var oneCard = false

    @Flag(help: "Redeem each card as soon as it is full.")
    var redeem = false

    @Flag(help: "Print the summary as one JSON object.")
    var json = false

    private var noNumber: ValidationError { ValidationError("'\(owner ?? "")' is no telephone number such as +8613800000000.") }

    func validate() throws {
        if let owner, TypedPhone(owner, region: region) == nil { throw noNumber }
        do { try origin.map(EventLog.check) } catch { throw ValidationError("\(error.detail) \(error.remedy)") }
    }

    func run() async throws {
        try await reportingRefusals {
            // Checked first, so that a mistyped command does not create a folder.
            try TillImport.check(shop: shop, goal: goal)
            let master = try masterKeyFile.map { try MasterKeyText.secret(inFile: $0) }
            // Becomes the folder's user only after it has read the key. The service must be able to open the files created from here on.
            try FolderOwner.become(of: data)
            try checkFile()
            let named = [visits, masterKeyFile ?? ""].map { ($0 as NSString).lastPathComponent }
            let service = try open(master, beside: Set(named))
            let summary: ImportSummary
            do {
                summary = try await self.summary(of: service)
                try show(summary)
            } catch {
                try? close(service)  // The earlier error is reported, not an error of closing.
                throw error
            }
            try close(service)
            ServerInspection.end(in: DataFolder(data))
            if summary.isRejected { throw ExitCode(1) }
        }
    }

    private func open(_ master: MasterSecret?, beside named: Set<String>) throws -> GreenTea {
        var proving = ProvingOptions()
        proving.origin = origin
        let service = try openService(data: data, master: master, proving: proving, beside: named)
        if service.log.head == .start, origin == nil, master != nil {
            let name = "the new log has named itself \(service.log.origin), for ever, in each receipt"
            StandardError.write("note: no --origin: \(name). To name it, remove \(data) and import again with --origin.")
        }
        return service
    }

    private func checkFile() throws(ImportError) {
        let fault: FileFault? =
            if !FileManager.default.fileExists(atPath: visits) {
                .missing
            } else if URL(filePath: visits).isFolder {
                .isFolder
            } else {
                FileManager.default.isReadableFile(atPath: visits) ? nil : .forbidden
            }
        if let fault { throw .unreadable(path: visits, reason: "\(fault)") }
    }

    private func summary(of service: GreenTea) async throws -> ImportSummary {
        let number = try owner.flatMap { TypedPhone($0, region: region) }.flatMap { try service.number(of: $0) }
        guard (number == nil) == (owner == nil) else { throw noNumber }
        let till = try TillImport(service: service, shop: shop, goal: goal, redeem: redeem, owner: number, oneCard: oneCard)
        var bars = ImportBars()
        defer { bars.finish() }
        return try await till.run(visits, report: { StandardError.write("\($0)") }, progress: { bars.show($0) })
    }

    private func show(_ summary: ImportSummary) throws {
        if json || summary.isRejected, let complaint = summary.complaint { StandardError.write(complaint) }
        if json { return try announce(summary.json) }
        let width = summary.figures.map(\.name.count).max() ?? 0
        for (name, text) in summary.figures {
            try announce(name + String(repeating: " ", count: width - name.count + 2) + text)
        }
        if !summary.isRejected, let complaint = summary.complaint { try announce(complaint) }
    }
}

/// A progress bar for each part of an import, created when the part begins, so that its rate leaves earlier parts out.
struct ImportBars {
    /// Seconds of reading before this part's bar appears. Most files take less.
    private static let readingPatienceSeconds = 1.0

    private var reading: ProgressBar?
    private var playing: ProgressBar?

    mutating func show(_ step: ImportStep) {
        switch step {
        case .reading(let bytes, let total):
            let bar = reading ?? ProgressBar(label: "read", total: total, unit: "bytes", patienceSeconds: Self.readingPatienceSeconds)
            reading = bar
            bar.advance(to: bytes)
        case .playing(let visits, let total):
            reading?.finish()
            let bar = playing ?? ProgressBar(label: "import", total: total, unit: "visits")
            playing = bar
            bar.advance(to: visits)
        }
    }

    func finish() {
        reading?.finish()
        playing?.finish()
    }
}
