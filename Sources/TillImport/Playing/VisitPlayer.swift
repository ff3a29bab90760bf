internal import CommandService
internal import Loyalty
internal import LoyaltyCodec

/// Turns visits into commands and sees each through.
struct VisitPlayer {
    let service: GreenTea
    let keys: ImportKeys

    /// Stamps a run of visits; the log gets them in this order.
    ///
    /// All commands are offered before the first answer is awaited: an immediate task runs up to its first suspension, and that
    /// is after its command stands in the writer's queue, which is first in, first out. So a run shares its commits.
    func stamp(_ run: [VisitCommands]) async throws(ImportError) -> [Acceptance] {
        let service = service
        let outcomes = await withTaskGroup(of: (Int, Result<Acceptance, ServiceError>).self) { group in
            for (number, visit) in run.enumerated() {
                group.addImmediateTask {
                    let outcome = await Self.outcome(of: visit.issue, by: visit.issuer, at: visit.visit.time, service)
                    return (2 * number, outcome)
                }
                group.addImmediateTask {
                    let outcome = await Self.outcome(of: visit.stamp, by: visit.customer, at: visit.visit.time, service)
                    return (2 * number + 1, outcome)
                }
            }
            var outcomes: [Result<Acceptance, ServiceError>] = Array(repeating: .failure(.stopping), count: 2 * run.count)
            for await (number, outcome) in group { outcomes[number] = outcome }
            return outcomes
        }
        var stamped: [Acceptance] = []
        for (number, visit) in run.enumerated() {
            stamped.append(try await see(visit, through: outcomes[2 * number], outcomes[2 * number + 1]))
        }
        return stamped
    }

    /// Redeems the card that a visit filled; `false` where somebody has done something else with it since.
    func redeem(_ card: CardID, filledBy visit: VisitCommands) async throws(ImportError) -> Bool {
        let time = visit.visit.time
        do {
            let asked = try await patiently { () throws(ServiceError) in
                try await service.requestRedemption(of: card, by: visit.redeemer(keys), at: time)
            }
            guard case .redemptionRequested(let requested) = asked.facts.first?.event else { return false }
            let code = service.redemptionCode(of: requested)
            let handed = try await patiently { () throws(ServiceError) in
                try await service.redeem(code, by: visit.redeeming(keys), at: time)
            }
            return !handed.facts.isEmpty
        } catch .rejected(.cardNotFull), .rejected(.redemptionNotValid), .rejected(.notFound) {
            return false
        } catch {
            throw .refused(what: "redeem a full card", line: Int(visit.visit.line), error)
        }
    }

    private static func outcome(
        of command: Command, by caller: Caller, at time: Instant, _ service: GreenTea
    ) async -> Result<Acceptance, ServiceError> {
        do throws(ServiceError) {
            return .success(try await service.submit(command, by: caller, at: time))
        } catch {
            return .failure(error)
        }
    }

    /// The stamp, where both went well; else both again one by one: the derived code may collide with an older one, or the
    /// queue may have been full.
    private func see(
        _ visit: VisitCommands, through issue: Result<Acceptance, ServiceError>, _ stamp: Result<Acceptance, ServiceError>
    ) async throws(ImportError) -> Acceptance {
        if case .success = issue, case .success(let acceptance) = stamp { return acceptance }
        do {
            return try await again(visit)
        } catch {
            throw .refused(what: "stamp a visit", line: Int(visit.visit.line), error)
        }
    }

    private func again(_ visit: VisitCommands) async throws(ServiceError) -> Acceptance {
        let (time, campaign) = (visit.visit.time, visit.shop.campaign.campaign)
        let issued = try await patiently { () throws(ServiceError) in
            try await service.issueCode(
                of: campaign, stamps: 1, validFor: Loyalty.Limits.codeValiditySecondsDefault, by: visit.issuer, at: time)
        }
        guard case .codeIssued(let event) = issued.facts.first?.event else { throw .failed("no code was issued") }
        let code = service.stampCode(of: event)
        return try await patiently { () throws(ServiceError) in
            try await service.stamp(code, campaign: campaign, by: visit.customer, at: time)
        }
    }

    /// Tries again while the writer's queue is full of others' commands.
    private func patiently(
        _ request: () async throws(ServiceError) -> Acceptance
    ) async throws(ServiceError) -> Acceptance {
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
