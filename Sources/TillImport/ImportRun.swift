internal import CommandService
internal import Composition
internal import Loyalty

/// Imports a till's history, visit by visit in the order of time. Customers get accounts, and shops are opened, at their first visit.
///
/// Up to 256 visits form a batch, whose new customers' keys are stored with one flush.
struct ImportRun {
    private let service: GreenTea
    private let terms: ImportTerms
    private let history: VisitHistory
    private let keys: ImportKeys
    private let opener: ShopOpener
    private let player: VisitPlayer
    private let report: (RowReport) -> Void

    /// By the customer's number in the history; nil before the first visit. ``shops`` is alike.
    private var accounts: [AccountID?]
    private var shops: [OpenedShop?]
    private var occurrences = OccurrenceCounter()
    private var cards: CardCounter
    private var waiting: [WaitingVisit] = []
    private(set) var summary: ImportSummary

    init(
        _ history: VisitHistory, service: GreenTea, terms: ImportTerms, summary: ImportSummary = ImportSummary(),
        report: @escaping (RowReport) -> Void
    ) {
        (self.summary, self.history, self.service, self.terms, self.report) = (summary, history, service, terms, report)
        keys = ImportKeys(keys: service.keys, name: terms.keyName)
        opener = ShopOpener(service: service, terms: terms, keys: keys)
        player = VisitPlayer(service: service, keys: keys)
        accounts = Array(repeating: nil, count: history.customers.count)
        shops = Array(repeating: nil, count: history.shops.count)
        cards = CardCounter(goal: terms.goal)
    }

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

    /// Opens all shops at the time of the first visit, because their shared campaign names all of them.
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

    /// The shop of a visit. A shop is opened at its first visit, after the commands of all earlier visits.
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

    /// The registrations of new customers, by number. Sets ``accounts`` also for customers of an earlier import.
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
    fileprivate mutating func count(_ acceptance: Acceptance) {
        for fact in acceptance.facts {
            if case .cardOpened = fact.event { cards += 1 }
            if case .cardStamped(let event) = fact.event { stamps += event.stamps }
        }
        full += acceptance.cards.count { $0.status == .full }
    }
}

struct WaitingVisit: Sendable {
    let visit: Visit
    let shop: OpenedShop
    /// The number of this visit among equal rows, from 1. Two equal rows are two visits.
    let occurrence: Int
}

/// Numbers visits with equal rows. Only the counts of the current time are kept, because visits come in the order of time.
struct OccurrenceCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
        let stamps: UInt8
    }

    private var microseconds: Int64?
    private var counts: [Holding: Int] = [:]

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

/// Predicts which visit fills a card, so that a batch ends there and the redemption directly follows in the log.
///
/// After an earlier import of a part, the prediction may be wrong. Then only the redemption's place differs: the log decides.
struct CardCounter {
    private struct Holding: Hashable {
        let customer: Int32
        let shop: Int32
    }

    let goal: Int
    private var counts: [Holding: Int32] = [:]

    init(goal: Int) { self.goal = goal }

    mutating func fills(_ visit: Visit, isShared: Bool = false) -> Bool {
        let holding = Holding(customer: visit.customer, shop: isShared ? 0 : visit.shop)
        let count = Int(counts[holding] ?? 0) + Int(visit.stamps)
        counts[holding] = Int32(count % goal)
        return count >= goal
    }
}
