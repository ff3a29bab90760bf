import EventLog
import Loyalty
import LoyaltyCodec
import Seeds
import SharedLogs
import Testing
import World

@testable import CommandService
@testable import Composition

/// The strongest test of the service. For random histories, the whole service must have the same results as the pure rules over a `World`
/// in memory.
///
/// The cache, the index, the log and the batches must lead to the same events, rejections and cards, at positions without gaps.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct DifferentialTests {
    /// The smallest cache evicts almost everything at once.
    @Test("The service decides each command of a random history as the rules do", arguments: [1, 3, 65_536])
    func singleCommands(cachedEntitiesMax: Int) async throws {
        let site = try Site(cachedEntitiesMax: cachedEntitiesMax)
        let history = RandomHistory(seed: Seed.value &+ UInt64(cachedEntitiesMax), steps: 800)
        for (number, moment) in history.moments.enumerated() {
            let step = moment.step
            let came = await outcome(of: try await site.service.submit(step.command, by: Caller(account: step.actor), at: step.at))
            try moment.expect(came, "step \(number)")
        }
        #expect(site.service.log.head.rawValue == history.world.position)
        try expectPast(site.service.past, toBe: history.world)
    }

    private static let batches = [(1, 7), (2, 64), (5, 1_000), (65_536, 1_500)]

    private static func history(ofBatchesOf size: Int) -> RandomHistory { RandomHistory(seed: Seed.value &+ UInt64(size), steps: 3_000) }

    @Test("A batch's commands are decided as the rules do, each after the staged events of those before it", arguments: batches)
    func batchedCommands(cachedEntitiesMax: Int, batch: Int) throws {
        try expectDecidedAlike(on: WriterBench(cachedEntitiesMax: cachedEntitiesMax), inBatchesOf: batch)
    }

    @Test("Over a shared log whose network loses, delays and doubles requests, a batch's commands are decided as the rules do")
    func sharedBatches() throws {
        let engine = MemorySharedLog(failingBy: .announced("sharedBatches")), commit = SharedCommit(engine)
        try commit.claim(as: .a, at: .start, root: .ofNothing)
        let bench = try WriterBench(cachedEntitiesMax: 65_536, durability: commit)
        try expectDecidedAlike(on: bench, inBatchesOf: 64)
        engine.deliverLate()
        try expectSame(engine, as: bench.log)
    }

    private func expectDecidedAlike(on bench: WriterBench, inBatchesOf batch: Int) throws {
        let history = Self.history(ofBatchesOf: batch)
        var moments = history.moments[...]
        while !moments.isEmpty {
            let part = moments.prefix(batch)
            moments = moments.dropFirst(batch)
            let came = try bench.perform(
                part.map { Submission(command: $0.step.command, caller: Caller(account: $0.step.actor), at: $0.step.at) })
            try #require(came.count == part.count)
            for (moment, came) in zip(part, came) { try moment.expect(came, "batches of \(batch)") }
        }
        #expect(bench.log.head.rawValue == history.world.position)
        try expectPast(LogPast(bench.log), toBe: history.world)
        try expectDenseLog(bench.log, holding: history.world)
    }

    @Test("The log's past as of a position equals the world at that position")
    func pastAsOf() throws {
        let bench = try WriterBench(cachedEntitiesMax: 8)
        let history = RandomHistory(seed: Seed.value, steps: 1_500, worldEvery: 200)
        for moment in history.moments {
            let step = moment.step
            _ = try bench.perform([Submission(command: step.command, caller: Caller(account: step.actor), at: step.at)])
        }
        #expect(history.worlds.count > 5)
        for world in history.worlds { try expectPast(LogPast(bench.log, through: Position(world.position)), toBe: world) }
    }

    /// Otherwise the comparison proves little.
    @Test("The histories hold every kind of event that is still written")
    func everyKind() throws {
        var counts: [EventType: Int] = [:]
        var elsewhere: [EventType: Int] = [:]
        for (_, size) in Self.batches {
            for moment in Self.history(ofBatchesOf: size).moments {
                for fact in (try? moment.facts.get()) ?? [] {
                    let type = try LoyaltyCodec.encode(fact.event, by: fact.actor, at: fact.time, mark: nil).type
                    counts[type, default: 0] += 1
                    if fact.event.home != nil { elsewhere[type, default: 0] += 1 }
                }
            }
        }
        // These two types occur only in older logs and are no longer written.
        let older: Set<EventType> = [.staffAdded, .staffRemoved]
        for (type, name) in LoyaltySchema.schema.types where !older.contains(type) {
            #expect(counts[type, default: 0] > 0, "the histories have no \(name)")
        }
        // The histories must also contain these events at a shop other than the campaign's own.
        let shared: [EventType] = [
            .codeIssued, .cardOpened, .cardStamped, .stampReversed, .cardRedeemed, .redemptionReversed, .milestoneRedeemed,
            .milestoneReversed, .paperStamped, .paperStampReversed,
        ]
        for type in shared { #expect(elsewhere[type, default: 0] > 0, "no \(LoyaltySchema.schema.types[type] ?? "") at another shop") }
        #expect(counts[.cardRedeemed, default: 0] > 12)
        #expect(counts[.cardStamped, default: 0] > 400)
    }
}

/// Expects that queries of the log return every object that a world contains.
func expectPast<Source: EventSource>(_ past: LogPast<Source>, toBe world: World) throws {
    for id in world.accounts.keys { #expect(try past.account(id) == world.account(id)) }
    for account in world.accounts.values { #expect(try past.account(phone: account.phone) == account) }
    for (id, session) in world.sessions { #expect(try past.session(id) == session) }
    for (id, shop) in world.shops {
        #expect(try past.shop(id) == shop && past.shops(ownedBy: shop.owner) == world.shops(ownedBy: shop.owner))
    }
    for (id, campaign) in world.campaigns { #expect(try past.campaign(id) == campaign) }
    for (id, code) in world.codes { #expect(try past.code(id) == code && past.code(secret: code.secret) == code) }
    for (id, print) in world.prints { #expect(try past.print(id) == print && past.print(secret: print.secret) == print) }
    for (id, paper) in world.papers { #expect(try past.paper(id) == paper) }
    for (id, card) in world.cards {
        #expect(try past.card(id) == card && past.replacement(of: id) == world.replacement(of: id))
        #expect(try past.taken(from: id) == world.taken(from: id))
    }
    for card in world.cards.values {
        #expect(try past.collectingCard(of: card.holder, in: card.campaign) == world.collectingCard(of: card.holder, in: card.campaign))
    }
    for card in world.cards.values {
        #expect(try past.gains(of: card.holder, in: card.campaign) == world.gains(of: card.holder, in: card.campaign))
    }
    for (id, redemption) in world.redemptions { #expect(try past.redemption(id) == redemption) }
    for redemption in world.redemptions.values { #expect(try past.redemption(secret: redemption.secret) == redemption) }
    for (id, review) in world.reviews { #expect(try past.review(id) == review) }
    for (id, notice) in world.notices { #expect(try past.notice(id) == notice) }
    for id in world.notices.keys {
        for account in world.accounts.keys { #expect(try past.hasRead(id, by: account) == world.hasRead(id, by: account)) }
    }
    for (id, invitation) in world.invitations { #expect(try past.invitation(id) == invitation) }
    for account in world.accounts.keys {
        #expect(Set(try past.employers(of: account)) == Set(world.employers(of: account)))
        for shop in world.shops.keys {
            let mute = Mute(account: account, shop: shop)
            #expect(try past.has(mute) == world.has(mute))
            #expect(try past.label(of: account, at: shop) == world.label(of: account, at: shop))
        }
        for campaign in world.campaigns.keys {
            let favorite = Favorite(account: account, campaign: campaign)
            #expect(try past.has(favorite) == world.has(favorite))
        }
    }
}

/// Checks that positions are dense from 1 and that folding the stored events gives the world.
func expectDenseLog(_ log: EventLog, holding world: World) throws {
    var folded = World()
    for number in 1...max(1, log.head.rawValue) {
        let event = try #require(try log.event(at: Position(number)), "the log has no event at position \(number)")
        let fact = try LoyaltyCodec.decode(event)
        #expect(fact.position == number)
        folded.evolve(fact)
    }
    #expect(folded == world)
}
