internal import CommandService
internal import Composition
internal import Loyalty

/// Imports a till's history, visit by visit in the order of time. Customers get accounts, and shops are opened, at their first visit. Shops
/// that share a campaign are all opened at the first visit of the file.
///
/// Up to 256 visits form a batch, to save flushes to disk: the encryption keys of all new customers of a batch are stored with one flush.
/// The batch's commands are sent in the order of time. An earlier version of this code made four flushes for each new customer.
struct ImportRun {
    private let service: GreenTea
    private let terms: ImportTerms
    private let history: VisitHistory
    private let keys: ImportKeys
    private let opener: ShopOpener
    private let player: VisitPlayer
    private let report: (RowReport) -> Void

    /// The account of each customer, by the customer's number in the history; `nil` before the customer's first visit. ``shops`` has the
    /// opened shops in the same way, by the shop's number.
    private var accounts: [AccountID?]
    private var shops: [OpenedShop?]
    private var occurrences = OccurrenceCounter()
    private var cards: CardCounter
    /// Visits whose commands have not been offered yet.
    private var waiting: [WaitingVisit] = []
    private(set) var summary: ImportSummary

    /// - Parameter summary: the rows that reading the file has skipped.
    init(
        _ history: VisitHistory, service: GreenTea, terms: ImportTerms, summary: ImportSummary = ImportSummary(),
        report: @escaping (RowReport) -> Void
    ) {
        self.summary = summary
        self.history = history
        self.service = service
        self.terms = terms
        self.report = report
        keys = ImportKeys(keys: service.keys, name: terms.keyName)
        opener = ShopOpener(service: service, terms: terms, keys: keys)
        player = VisitPlayer(service: service, keys: keys)
        accounts = Array(repeating: nil, count: history.customers.count)
        shops = Array(repeating: nil, count: history.shops.count)
        cards = CardCounter(goal: terms.goal)
    }

    /// Imports the visits.
    ///
    /// - Parameter progress: called with the number of finished visits: at the beginning, whenever no visit is waiting, and at the end.
    mutating func play(progress: (Int) -> Void) async throws(ImportError) {
        progress(0)
        if terms.isShared { try await openAll() }
        for (number, visit) in history.visits.enumerated() {
            try await take(visit)
            if waiting.isEmpty { progress(number + 1) }
        }
        try await finishRun()
        progress(history.visits.count)
    }

    /// Opens all shops of the file at the time of the first visit, because the campaign that they share names all of them.
    private mutating func openAll() async throws(ImportError) {
        guard let first = history.visits.first else { return }
        shops = try await opener.openAll(history, time: first.time, line: Int(first.line))
        summary.shops = shops.count
    }

    private mutating func take(_ visit: Visit) async throws(ImportError) {
        let shop = try await shop(of: visit)
        if let complaint = shop.complaint(about: visit.time) {
            let fault = RowReport(line: Int(visit.line), reason: complaint)
            summary.count(malformed: fault)
            return report(fault)
        }
        summary.visits += 1
        guard visit.customer != Visit.none else { return summary.skipped += 1 }
        waiting.append(WaitingVisit(visit: visit, shop: shop, occurrence: occurrences.number(of: visit)))
        let isCardFull = cards.fills(visit, isShared: terms.isShared)
        if waiting.count == Limits.batchVisitsMax || (terms.redeems && isCardFull) { try await finishRun() }
    }

    /// Returns the shop of a visit. At a shop's first visit, this first executes the commands of all earlier visits, and then opens the
    /// shop.
    private mutating func shop(of visit: Visit) async throws(ImportError) -> OpenedShop {
        if let known = shops[Int(visit.shop)] { return known }
        try await finishRun()
        let shop = try await opener.open(
            history.shops[visit.shop], at: history.location(ofShop: visit.shop), time: visit.time, line: Int(visit.line))
        shops[Int(visit.shop)] = shop
        summary.shops += 1
        return shop
    }

    private mutating func finishRun() async throws(ImportError) {
        guard !waiting.isEmpty else { return }
        let run = try await commands()
        let stamped = try await player.stamp(run)
        for (visit, acceptance) in zip(run, stamped) {
            summary.count(acceptance)
            guard terms.redeems else { continue }
            for (number, card) in acceptance.cards.filter({ $0.status == .full }).enumerated() {
                if try await player.redeem(FilledCard(card.id, number: number), filledBy: visit) {
                    summary.redeemed += 1
                } else {
                    report(RowReport(line: Int(visit.visit.line), reason: "filled a card that is no longer there to be redeemed"))
                }
            }
        }
        waiting.removeAll(keepingCapacity: true)
    }

    /// Creates the commands of the waiting visits. The first visit of a customer who has no account yet also has a command that registers
    /// the customer.
    private mutating func commands() async throws(ImportError) -> [VisitCommands] {
        var newcomers = try await newcomers()
        return waiting.map { waiting in
            let customer = waiting.visit.customer
            let registration = newcomers.removeValue(forKey: customer)
            let account = registration?.account ?? accounts[Int(customer)]
            guard let account else { preconditionFailure("customer \(customer) has neither an account nor a registration") }
            return VisitCommands(
                waiting, by: account, named: history.customers[customer], registration: registration.map(Command.registerAccount),
                keys: keys)
        }
    }

    /// Returns the commands that register those customers of the waiting visits who have no account yet, by the customer's number. Sets the
    /// ``accounts`` of all customers whose first visit is waiting, also of those whom an earlier import has registered.
    private mutating func newcomers() async throws(ImportError) -> [Int32: RegisterAccount] {
        var unseen: [(customer: Int32, line: Int)] = []
        var isListed: Set<Int32> = []
        for visit in waiting.map(\.visit) where accounts[Int(visit.customer)] == nil && isListed.insert(visit.customer).inserted {
            unseen.append((visit.customer, Int(visit.line)))
        }
        let identities = unseen.map { terms.customerIdentity(of: history.customers[$0.customer]) }
        var newcomers: [Int32: RegisterAccount] = [:]
        do {
            for (seen, registration) in zip(unseen, try await service.registrations(of: identities)) {
                accounts[Int(seen.customer)] = registration.account
                summary.accounts += 1
                if case .new(let command) = registration { newcomers[seen.customer] = command }
            }
        } catch {
            throw await ImportError.refusal(of: error, to: "register a customer", line: unseen.first?.line ?? 0, by: service)
        }
        return newcomers
    }
}

extension ImportSummary {
    /// Adds the effects of a stamp to the summary.
    fileprivate mutating func count(_ acceptance: Acceptance) {
        for fact in acceptance.facts {
            if case .cardOpened = fact.event { cards += 1 }
            if case .cardStamped(let event) = fact.event { stamps += event.stamps }
        }
        full += acceptance.cards.count { $0.status == .full }
    }
}

/// A visit to import.
struct WaitingVisit: Sendable {
    let visit: Visit
    let shop: OpenedShop
    /// The number of this visit among visits with equal rows, from 1. Two equal rows are two visits, such as two cups in the same minute.
    let occurrence: Int
}

/// Numbers visits with equal rows: the same customer, shop, time and number of stamps.
///
/// Visits are counted in the order of time, so only the counts of the current time are kept in memory.
struct OccurrenceCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
        let stamps: UInt8
    }

    private var microseconds: Int64?
    private var counts: [Holding: Int] = [:]

    /// Counts a visit, and returns its number among equal rows, from 1.
    mutating func number(of visit: Visit) -> Int {
        if microseconds != visit.microseconds {
            microseconds = visit.microseconds
            counts.removeAll(keepingCapacity: true)
        }
        let holding = Holding(customer: visit.customer, shop: visit.shop, stamps: visit.stamps)
        counts[holding, default: 0] += 1
        return counts[holding] ?? 1
    }
}

/// Counts stamps by customer and campaign, to predict which visit fills a card.
///
/// If the import redeems full cards, it ends a batch of visits at a visit that fills a card. So the redemption directly follows that visit
/// in the log. If a part of the file was imported before, the prediction may be wrong. Then the redemption is only at another place in the
/// log, because the log and not the prediction decides whether a card is full.
struct CardCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
    }

    let goal: Int
    private var counts: [Holding: Int32] = [:]

    init(goal: Int) {
        self.goal = goal
    }

    /// Counts a visit, and returns whether it probably fills a card.
    ///
    /// - Parameter isShared: whether all shops have one campaign.
    mutating func fills(_ visit: Visit, isShared: Bool = false) -> Bool {
        let holding = Holding(customer: visit.customer, shop: isShared ? 0 : visit.shop)
        let count = Int(counts[holding] ?? 0) + Int(visit.stamps)
        counts[holding] = Int32(count % goal)
        return count >= goal
    }
}
