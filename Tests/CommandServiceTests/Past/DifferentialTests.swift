import EventLog
import Loyalty
import LoyaltyCodec
import Testing

@testable import CommandService

/// The strongest test here: what cache, index, log and batches make of random histories must be what the pure rules over a
/// `World` in memory make of them: the same events, the same rejections, the same cards, dense positions.
@Suite(.fewAtOnce, .timeLimit(.minutes(5))) struct DifferentialTests {
    /// One command after the other through the whole service, with a cache that forgets nearly everything nearly at once.
    @Test(arguments: [1, 3, 65_536]) func theServiceDoesWhatTheRulesSay(cachedEntitiesMax: Int) async throws {
        let site = try Site(cachedEntitiesMax: cachedEntitiesMax)
        var (pure, mischief) = (PureService(), Mischief(seed: Seed.value &+ UInt64(cachedEntitiesMax)))
        let history = Mischief.beginning + (0..<600).map { _ in mischief.next() }
        for (number, step) in history.enumerated() {
            let expected = pure.perform(step.command, by: step.actor, at: step.at)
            let came = await outcome { () async throws(ServiceError) in
                try await site.service.submit(step.command, by: Caller(account: step.actor), at: step.at)
            }
            try Self.expect(came, toBe: expected, in: pure, "step \(number): \(step.command) by \(step.actor)")
        }
        #expect(site.service.log.head.rawValue == pure.world.position)
        try expectPast(site.service.past, toBe: pure.world)
    }

    /// Many commands in each batch: each is decided on what the ones before it in the same batch have staged.
    @Test(arguments: [(1, 7), (2, 64), (5, 1_000), (65_536, 1_500)]) func batchesDoWhatTheRulesSay(cachedEntitiesMax: Int, batch: Int) throws {
        let bench = try WriterBench(cachedEntitiesMax: cachedEntitiesMax)
        var (pure, mischief) = (PureService(), Mischief(seed: Seed.value &+ UInt64(batch)))
        var steps = Mischief.beginning + (0..<3_000).map { _ in mischief.next() }
        while !steps.isEmpty {
            let part = Array(steps.prefix(batch))
            steps.removeFirst(part.count)
            let came = bench.perform(part.map { Submission(command: $0.command, caller: Caller(account: $0.actor), at: $0.at) })
            try #require(came.count == part.count)
            for (step, came) in zip(part, came) {
                let expected = pure.perform(step.command, by: step.actor, at: step.at)
                try Self.expect(came, toBe: expected, in: pure, "\(step.command) by \(step.actor)")
            }
        }
        #expect(bench.log.head.rawValue == pure.world.position)
        try expectPast(LogPast(bench.log), toBe: pure.world)
        try expectDenseLog(bench.log, holding: pure.world)
        try Self.expectRichHistory(in: bench.log)
    }

    /// As of any position the log says what a `World` said then.
    @Test func thePastAsOfAPositionIsTheWorldOfThen() throws {
        let bench = try WriterBench(cachedEntitiesMax: 8)
        var (pure, mischief, worlds) = (PureService(), Mischief(seed: Seed.value), [World]())
        for step in Mischief.beginning + (0..<800).map({ _ in mischief.next() }) {
            _ = pure.perform(step.command, by: step.actor, at: step.at)
            _ = bench.perform([Submission(command: step.command, caller: Caller(account: step.actor), at: step.at)])
            if pure.world.position > UInt64(worlds.count * 97) { worlds.append(pure.world) }
        }
        #expect(worlds.count > 5)
        for world in worlds { try expectPast(LogPast(bench.log, through: Position(world.position)), toBe: world) }
    }

    /// Chance must have brought about every kind of event, or the comparison says little.
    private static func expectRichHistory(in log: EventLog) throws {
        for (type, name) in LoyaltySchema.schema.types {
            #expect(!(try log.positions(matching: .types(type), limit: 1)).isEmpty, "no \(name)")
        }
        #expect(try log.positions(matching: .types(.cardRedeemed)).count > 5)
        #expect(try log.positions(matching: .types(.cardStamped)).count > 200)
    }

    private static func expect(
        _ came: Result<Acceptance, ServiceError>, toBe expected: Result<[Fact], ServiceError>, in pure: PureService, _ what: Comment
    ) throws {
        switch (came, expected) {
        case (.success(let acceptance), .success(let facts)):
            try #require(acceptance.facts == facts, what)
            try #require(acceptance.position.rawValue == pure.world.position, what)
            try #require(acceptance.cards == pure.cards(touchedBy: facts), what)
            try #require(!acceptance.isReplay, what)
        case (.failure(let came), .failure(let expected)): try #require(came == expected, what)
        default: Issue.record("came \(came), expected \(expected): \(what)")
        }
    }
}

/// Everything that a world knows, asked of the log.
func expectPast<Source: EventSource>(_ past: LogPast<Source>, toBe world: World) throws {
    for (id, account) in world.accounts { #expect(try past.account(id) == account) }
    for account in world.accounts.values { #expect(try past.account(phone: account.phone) == account) }
    for (id, session) in world.sessions { #expect(try past.session(id) == session) }
    for (id, shop) in world.shops { #expect(try past.shop(id) == shop && past.shop(ownedBy: shop.owner) == shop) }
    for (id, campaign) in world.campaigns { #expect(try past.campaign(id) == campaign) }
    for (id, code) in world.codes { #expect(try past.code(id) == code && past.code(secret: code.secret) == code) }
    for (id, card) in world.cards { #expect(try past.card(id) == card) }
    for card in world.cards.values {
        #expect(try past.collectingCard(of: card.holder, in: card.campaign) == world.collectingCard(of: card.holder, in: card.campaign))
    }
    for (id, redemption) in world.redemptions { #expect(try past.redemption(id) == redemption) }
    for redemption in world.redemptions.values { #expect(try past.redemption(secret: redemption.secret) == redemption) }
    for (id, review) in world.reviews { #expect(try past.review(id) == review) }
}

/// Positions are 1, 2, 3 …, and folding the stored events gives the world.
func expectDenseLog(_ log: EventLog, holding world: World) throws {
    var folded = World()
    for number in 1...max(1, log.head.rawValue) {
        let event = try #require(try log.event(at: Position(number)), "a gap at \(number)")
        let fact = try LoyaltyCodec.decode(event)
        #expect(fact.position == number)
        folded.evolve(fact)
    }
    #expect(folded == world)
}
