public import CommandService
public import Composition
internal import EventLog
internal import Loyalty

/// Turns the history of a shop's till into the events that the service would have recorded at the time: accounts, shops, and stamp codes
/// that the customers enter.
///
/// Idempotency keys are derived from the file. So an interrupted import is completed by a repetition, the same file adds nothing, and a
/// longer file only its new rows. Memory: 24 bytes per visit, and an entry for each customer, shop and pair.
public struct TillImport {
    private let service: GreenTea
    private let terms: ImportTerms

    /// - Parameters:
    ///   - service: nothing else may write to its data folder.
    ///   - shop: the shop's name, or the prefix of its shops' names.
    ///   - owner: the phone number of the shops' owner; nil gives each shop a separate owner, unless `oneCard` is true.
    /// - Throws: `ImportError.unusableName`, `.unusableGoal`.
    public init(
        service: GreenTea, shop: String, goal: Int, redeem: Bool, owner: E164Number? = nil, oneCard: Bool = false
    ) throws(ImportError) {
        self.service = service
        terms = try ImportTerms(name: shop, goal: goal, redeems: redeem, owner: owner, isShared: oneCard)
    }

    public static func check(shop: String, goal: Int) throws(ImportError) {
        _ = try ImportTerms(name: shop, goal: goal, redeems: false)
    }

    /// - Parameter report: called for each malformed row, and for each filled card that cannot be redeemed.
    /// - Throws: `ImportError`; rows imported before the error stay imported.
    public func run(
        _ file: String, report: @escaping (RowReport) -> Void = { _ in }, progress: @escaping (ImportStep) -> Void = { _ in }
    ) async throws(ImportError) -> ImportSummary {
        let bytes = try FileBytes(path: file)
        return try await run(bytes, path: file, length: bytes.length, report: report, progress: progress)
    }

    func run(
        _ source: some ByteSource, path: String, length: Int = 0, report: @escaping (RowReport) -> Void,
        progress: @escaping (ImportStep) -> Void
    ) async throws(ImportError) -> ImportSummary {
        let began = ContinuousClock.now
        let headBefore = service.log.head
        let counted = CountedBytes(source) { progress(.reading(bytes: $0, of: length)) }
        var (history, skipped) = try VisitFile(
            terms: terms, latest: service.clock.now().advanced(bySeconds: Limits.futureSecondsMax), report: report
        ).read(counted, path: path)
        let total = history.visits.count
        let terms: ImportTerms
        do { terms = try Spellings(service: service).unify(&history, self.terms) } catch {
            throw await ImportError.refusal(of: error, to: "look up the names of the file", line: 1, by: service)
        }
        let owned = Loyalty.Limits.openShopsPerAccount
        guard terms.owner == nil || history.shops.names.count <= owned else { throw .tooManyOwned(max: owned) }
        var run = ImportRun(history, service: service, terms: terms, summary: skipped, report: report)
        try await run.play { progress(.playing(visits: $0, of: total)) }
        var summary = run.summary
        summary.events = Int(service.log.head.rawValue - headBefore.rawValue)
        summary.seconds = (ContinuousClock.now - began) / .seconds(1)
        return summary
    }
}

/// The result of an import. All but `events` and `seconds` describe the file, and are the same at a second import.
public struct ImportSummary: Hashable, Sendable {
    /// Well-formed rows, with or without a customer.
    public internal(set) var visits = 0
    /// Well-formed rows without a customer, such as anonymous payments.
    public internal(set) var skipped = 0
    public internal(set) var malformed = 0
    public internal(set) var firstFault: RowReport?
    public internal(set) var accounts = 0
    public internal(set) var shops = 0
    public internal(set) var stamps = 0
    public internal(set) var cards = 0
    public internal(set) var full = 0
    public internal(set) var redeemed = 0
    public internal(set) var events = 0
    public internal(set) var seconds = 0.0

    mutating func count(malformed fault: RowReport) {
        malformed += 1
        if firstFault.map({ fault.line < $0.line }) ?? true { firstFault = fault }
    }

    public var isRejected: Bool { visits == 0 && malformed > 0 }

    public var complaint: String? {
        firstFault.map { "\(malformed) of \(visits + malformed) rows were rejected, the first of them \($0)" }
    }

    /// Each figure's name and value, in the order of the report.
    public var figures: [(name: String, text: String)] {
        [
            ("visits", "\(visits)"), ("skipped", "\(skipped)"), ("malformed", "\(malformed)"), ("accounts", "\(accounts)"),
            ("shops", "\(shops)"), ("stamps", "\(stamps)"), ("cards", "\(cards)"), ("full", "\(full)"), ("redeemed", "\(redeemed)"),
            ("events", "\(events)"), ("seconds", "\((seconds * 1_000).rounded() / 1_000)"),
        ]
    }

    /// One line with all figures.
    public var json: String { "{" + figures.map { "\"\($0.name)\":\($0.text)" }.joined(separator: ",") + "}" }
}

/// The progress of an import.
public enum ImportStep: Hashable, Sendable {
    case reading(bytes: Int, of: Int)
    /// The first report comes before the first visit.
    case playing(visits: Int, of: Int)
}

/// A message about one row of the file.
public struct RowReport: Hashable, Sendable, CustomStringConvertible {
    /// From 1; the header is line 1.
    public let line: Int
    /// For a person who can correct the file.
    public let reason: String

    public var description: String { "line \(line): \(reason)" }
}
