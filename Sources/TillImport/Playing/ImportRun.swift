internal import CommandService
internal import Loyalty

/// Plays a history, visit by visit in the order of time: accounts and shops when they are first seen, then the stamps.
struct ImportRun {
    private let service: GreenTea
    private let terms: ImportTerms
    private let history: VisitHistory
    private let keys: ImportKeys
    private let opener: ShopOpener
    private let player: VisitPlayer
    private let report: (RowReport) -> Void

    /// By customer and by shop; `nil` until seen.
    private var accounts: [AccountID?]
    private var shops: [OpenedShop?]
    private var occurrences = OccurrenceCounter()
    private var cards: CardCounter
    /// Visits whose commands are not offered yet.
    private var run: [VisitCommands] = []
    private(set) var summary = ImportSummary()

    init(_ history: VisitHistory, service: GreenTea, terms: ImportTerms, report: @escaping (RowReport) -> Void) {
        self.history = history
        self.service = service
        self.terms = terms
        self.report = report
        keys = ImportKeys(keys: service.keys, name: terms.name)
        opener = ShopOpener(service: service, terms: terms, keys: keys)
        player = VisitPlayer(service: service, keys: keys)
        accounts = Array(repeating: nil, count: history.customers.count)
        shops = Array(repeating: nil, count: history.shops.count)
        cards = CardCounter(goal: terms.goal)
    }

    /// - Parameter progress: told how many visits are done.
    mutating func play(progress: (Int) -> Void) async throws(ImportError) {
        for (number, visit) in history.visits.enumerated() {
            try await take(visit)
            if run.isEmpty { progress(number + 1) }
        }
        try await finishRun()
        progress(history.visits.count)
    }

    private mutating func take(_ visit: Visit) async throws(ImportError) {
        let shop = try await shop(of: visit)
        if let complaint = shop.complaint(about: visit.time) {
            summary.malformed += 1
            return report(RowReport(line: Int(visit.line), reason: complaint))
        }
        summary.visits += 1
        guard visit.customer != Visit.none else { return summary.skipped += 1 }
        let account = try await account(of: visit)
        run.append(
            VisitCommands(
                visit, by: account, named: history.customers[visit.customer], at: shop, occurrence: occurrences.number(of: visit),
                keys: keys))
        let isCardFull = cards.fills(visit)
        if run.count == Limits.batchVisitsMax || (terms.redeems && isCardFull) { try await finishRun() }
    }

    /// The shop of a visit, opened now if this is its first; what came before goes into the log before it.
    private mutating func shop(of visit: Visit) async throws(ImportError) -> OpenedShop {
        if let known = shops[Int(visit.shop)] { return known }
        try await finishRun()
        let shop = try await opener.open(
            history.shops[visit.shop], at: history.location(ofShop: visit.shop), time: visit.time, line: Int(visit.line))
        shops[Int(visit.shop)] = shop
        summary.shops += 1
        return shop
    }

    /// The account of a visit's customer, registered now if this is the first visit.
    private mutating func account(of visit: Visit) async throws(ImportError) -> AccountID {
        if let known = accounts[Int(visit.customer)] { return known }
        try await finishRun()
        let identity = terms.customerIdentity(of: history.customers[visit.customer])
        do {
            let account = try await service.register(identity: identity, at: visit.time).id
            accounts[Int(visit.customer)] = account
            summary.accounts += 1
            return account
        } catch {
            throw .refused(what: "register a customer", line: Int(visit.line), error)
        }
    }

    private mutating func finishRun() async throws(ImportError) {
        guard !run.isEmpty else { return }
        let stamped = try await player.stamp(run)
        for (visit, acceptance) in zip(run, stamped) {
            summary.count(acceptance)
            guard terms.redeems else { continue }
            for card in acceptance.cards where card.status == .full {
                if try await player.redeem(card.id, filledBy: visit) {
                    summary.redeemed += 1
                } else {
                    report(RowReport(line: Int(visit.visit.line), reason: "filled a card that is no longer there to be redeemed"))
                }
            }
        }
        run.removeAll(keepingCapacity: true)
    }
}

extension ImportSummary {
    /// Counts what a stamp did.
    fileprivate mutating func count(_ acceptance: Acceptance) {
        for fact in acceptance.facts {
            if case .cardOpened = fact.event { cards += 1 }
            if case .cardStamped(let event) = fact.event { stamps += event.stamps }
        }
        full += acceptance.cards.count { $0.status == .full }
    }
}
