internal import CommandService
internal import Composition
internal import Loyalty
internal import LoyaltyCodec

/// Offers the commands of visits to the service, and handles the answers.
struct VisitPlayer {
    private typealias Step = VisitCommands.Step
    private typealias Outcome = Result<Acceptance, ServiceError>

    let service: GreenTea
    let keys: ImportKeys

    /// Executes the commands of consecutive visits, whose events keep their order in the log unless a command is sent again.
    ///
    /// All are sent before the first answer is awaited, to share commits. An immediate task runs up to its first suspension, when its
    /// command is in the first-in, first-out write queue.
    func stamp(_ run: [VisitCommands]) async throws(ImportError) -> [Acceptance] {
        let service = service
        let outcomes = await withTaskGroup(of: (visit: Int, step: Step, outcome: Outcome).self) { group in
            for (number, visit) in run.enumerated() {
                for (step, command, caller) in visit.steps {
                    group.addImmediateTask {
                        (number, step, await Self.outcome(of: command, by: caller, at: visit.visit.time, service))
                    }
                }
            }
            var outcomes: [[Step: Outcome]] = Array(repeating: [:], count: run.count)
            for await (visit, step, outcome) in group { outcomes[visit][step] = outcome }
            return outcomes
        }
        var stamped: [Acceptance] = []
        for (visit, outcomes) in zip(run, outcomes) { stamped.append(try await see(visit, through: outcomes)) }
        return stamped
    }

    /// Redeems a card that a visit filled; false if the card has changed since.
    func redeem(_ card: FilledCard, filledBy visit: VisitCommands) async throws(ImportError) -> Bool {
        let time = visit.visit.time
        do {
            let asked = try await patiently { () throws(ServiceError) in
                try await service.requestRedemption(of: card.id, by: visit.redeemer(keys, card.number), at: time)
            }
            guard case .redemptionRequested(let requested) = asked.facts.first?.event else { return false }
            let code = service.redemptionCode(of: requested)
            let shown = ShownReward(code, at: visit.shop.place, to: visit.redeeming(keys, card.number))
            let handed = try await patiently { () throws(ServiceError) in
                try await service.redeem(shown, at: time)
            }
            return !handed.facts.isEmpty
        } catch .rejected(.cardNotFull), .rejected(.redemptionNotValid), .rejected(.notFound) {
            return false
        } catch {
            throw await ImportError.refusal(of: error, to: "redeem a full card", line: Int(visit.visit.line), by: service)
        }
    }

    private static func outcome(of command: Command, by caller: Caller, at time: Instant, _ service: GreenTea) async -> Outcome {
        do throws(ServiceError) { return .success(try await service.submit(command, by: caller, at: time)) } catch {
            return .failure(error)
        }
    }

    /// The answer to the visit's stamp command. Commands that failed are sent again, one after the other: the write queue was full, or the
    /// derived code is equal to an older one.
    private func see(_ visit: VisitCommands, through outcomes: [Step: Outcome]) async throws(ImportError) -> Acceptance {
        if case .failure(let error)? = outcomes[.register] {
            do { try await registerAgain(visit, after: error) } catch {
                throw await ImportError.refusal(of: error, to: "register a customer", line: Int(visit.visit.line), by: service)
            }
        }
        if case .success? = outcomes[.issue], case .success(let acceptance)? = outcomes[.stamp] { return acceptance }
        do { return try await again(visit) } catch {
            throw await ImportError.refusal(of: error, to: "stamp a visit", line: Int(visit.visit.line), by: service)
        }
    }

    private func registerAgain(_ visit: VisitCommands, after error: ServiceError) async throws(ServiceError) {
        guard error == .overloaded, let register = visit.steps.first(where: { $0.step == .register }) else { throw error }
        _ = try await patiently { () throws(ServiceError) in
            try await service.submit(register.command, by: register.caller, at: visit.visit.time)
        }
    }

    private func again(_ visit: VisitCommands) async throws(ServiceError) -> Acceptance {
        let (time, campaign) = (visit.visit.time, visit.shop.campaign.campaign)
        let issued = try await patiently { () throws(ServiceError) in
            try await service.issueCode(visit.code, by: visit.issuer, at: time)
        }
        guard case .codeIssued(let event) = issued.facts.first?.event else { throw .failed("no code was issued") }
        let code = service.stampCode(of: event)
        return try await patiently { () throws(ServiceError) in
            try await service.stamp(code, campaign: campaign, by: visit.customer, at: time)
        }
    }

    private func patiently(_ request: () async throws(ServiceError) -> Acceptance) async throws(ServiceError) -> Acceptance {
        for _ in 0..<Limits.retriesMax {
            do {
                return try await request()
            } catch .overloaded {
                try? await Task.sleep(for: .milliseconds(Limits.retryMilliseconds))
            }
        }
        throw .overloaded
    }
}

/// A card that a visit filled. A class like `NamedShop`.
final class FilledCard: Sendable {
    let id: CardID
    /// The index among the cards that the visit filled, a part of the redemption's keys.
    let number: Int

    init(_ id: CardID, number: Int) { (self.id, self.number) = (id, number) }
}

/// The commands of one visit: perhaps a registration, the owner issues a stamp code, and the customer enters it.
///
/// The code is derived from its step's idempotency mark, so all can be sent together.
struct VisitCommands: Sendable {
    enum Step: Hashable, Sendable {
        case register
        case issue
        case stamp
    }

    let visit: Visit
    let shop: OpenedShop
    let issuer: Caller
    let customer: Caller
    /// Nil if the customer is registered already, or by an earlier visit.
    let registration: Command?
    let issue: Command
    let stamp: Command
    private let parts: [String]

    init(_ waiting: WaitingVisit, by account: AccountID, named name: String, registration: Command?, keys: ImportKeys) {
        let (visit, shop, occurrence) = (waiting.visit, waiting.shop, waiting.occurrence)
        (self.visit, self.shop, self.registration) = (visit, shop, registration)
        // Older files had no column of stamps. A visit with one stamp keeps its key, so that importing such a file again adds nothing.
        parts =
            [shop.value, name, String(visit.microseconds), String(occurrence)] + (visit.stamps == 1 ? [] : ["stamps \(visit.stamps)"])
        let issueMark = keys.mark(of: shop.owner, parts + ["issue"])
        let stampMark = keys.mark(of: account, parts + ["stamp"])
        issuer = Caller(account: shop.owner, mark: issueMark)
        customer = Caller(account: account, mark: stampMark)
        let code: CodeID = keys.id(issueMark, at: visit.time)
        let secret = keys.keys.secret(ofStampCode: keys.keys.stampCode(for: code, attempt: 0))
        let campaign = shop.campaign.campaign
        issue = .issueCode(
            IssueCode(
                code: code, campaign: campaign, secret: secret, attempt: 0, stamps: Int(visit.stamps),
                validFor: Loyalty.Limits.codeValiditySecondsDefault, shop: shop.place?.id))
        stamp = .stamp(Stamp(secret: secret, campaign: campaign, firstCard: keys.id(stampMark, at: visit.time)))
    }

    /// The code to issue when the commands are sent again, because the derived one may be taken.
    var code: CodeOffer { CodeOffer(Int(visit.stamps), of: shop.campaign.campaign, at: shop.place) }

    var steps: [(step: Step, command: Command, caller: Caller)] {
        let registering = registration.map { (Step.register, $0, Caller(account: customer.account)) }
        return (registering.map { [$0] } ?? []) + [(.issue, issue, issuer), (.stamp, stamp, customer)]
    }

    func redeemer(_ keys: ImportKeys, _ number: Int) -> Caller {
        Caller(account: customer.account, mark: keys.mark(of: customer.account, parts + step("request", number)))
    }

    func redeeming(_ keys: ImportKeys, _ number: Int) -> Caller {
        Caller(account: issuer.account, mark: keys.mark(of: issuer.account, parts + step("redeem", number)))
    }

    private func step(_ name: String, _ number: Int) -> [String] { number == 0 ? [name] : [name, "card \(number + 1)"] }
}
