import CommandService
import Composition
import EventLog
import Loyalty
import LoyaltyCodec

/// A shop with a running campaign and customers. Its stamp codes are issued before the measurement.
struct BenchShop {
    let service: GreenTea
    let owner: AccountID
    let campaign: CampaignID
    let customers: [AccountID]

    /// Opens a service in `folder`, with a shop, a campaign and `count` customers.
    static func open(
        in folder: String, customers count: Int, clock: any Clock = SystemClock(), durability: any BatchDurability = LocalCommit(),
        master: MasterSecret? = nil
    ) async throws -> BenchShop {
        let service = try openService(in: folder, clock, durability, master: master)
        let (owner, _, campaign) = try await service.addShop(
            of: "bench:owner", "Bench Tea", phone: "+10000000", address: "1 Bench Road", at: Coordinate(latitude: 0, longitude: 0),
            title: "Ten cups", details: "", reward: "The eleventh")
        var customers: [AccountID] = []
        for number in 0..<count { customers.append(try await service.register(identity: "bench:\(number)").id) }
        return BenchShop(service: service, owner: owner, campaign: campaign, customers: customers)
    }

    /// Issues `count` codes, and returns the newest first: customers enter fresh codes, which the writer still has in memory.
    func issue(_ count: Int) async throws -> [TypedCode] {
        let lanes = min(512, count)
        let issued = try await withThrowingTaskGroup(of: [Acceptance].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var issued: [Acceptance] = []
                    for _ in stride(from: lane, to: count, by: lanes) {
                        issued.append(try await service.issueCode(of: campaign, stamps: 1, validFor: 86_400, by: Caller(account: owner)))
                    }
                    return issued
                }
            }
            return try await group.reduce(into: []) { $0 += $1 }
        }
        return try issued.sorted { $0.position > $1.position }.map { acceptance in
            guard case .codeIssued(let code) = acceptance.facts[0].event else { throw BenchError.unexpected }
            return service.stampCode(of: code)
        }
    }

    /// Enters a code with an idempotency key.
    func stamp(_ code: TypedCode, byCustomer number: Int) async throws {
        let account = customers[number % customers.count]
        let mark = service.keys.mark(account: account, key: code.text, content: Array(code.text.utf8))
        let accepted = try await service.stamp(code, by: Caller(account: account, mark: mark))
        guard !accepted.cards.isEmpty else { throw BenchError.unexpected }
    }

    /// - Parameters:
    ///   - master: a new one by default.
    ///   - leader: the node that this one follows.
    static func openService(
        in folder: String, _ clock: any Clock = SystemClock(), _ durability: any BatchDurability = LocalCommit(),
        master: MasterSecret? = nil, leader: LeaderMaker? = nil
    ) throws -> GreenTea {
        var proving = ProvingOptions()
        // A generated log has neither keys nor checkpoints.
        (proving.acceptsOlderLog, proving.acceptsLostKeys) = (true, true)
        // A follower's log has its leader's name.
        if master != nil { proving.origin = "bench.example/log" }
        return try GreenTea(
            data: DataFolder(folder), master: master ?? MasterSecret(bytes: SystemRandomness().bytes(32)), clock: clock,
            durability: durability, proving: proving, leader: leader)
    }
}

extension GreenTea {
    /// Registers an owner, opens a shop and publishes a campaign of one day.
    func addShop(
        of identity: String, _ name: String, phone: String, address: String, at location: Coordinate, title: String, details: String,
        reward: String
    ) async throws -> (owner: AccountID, shop: ShopID, campaign: CampaignID) {
        let owner = Caller(account: try await register(identity: identity).id)
        let opened = try await openShop(name: name, phone: phone, address: address, location: location, by: owner)
        guard case .shopOpened(let shop) = opened.facts[0].event else { throw BenchError.unexpected }
        let now = clock.now()
        let terms = CampaignTerms(
            title: title, details: details, goal: 10, reward: reward, startsAt: now, endsAt: now.advanced(bySeconds: 86_400))
        let published = try await publishCampaign(CampaignDraft(kind: .stampCard, terms: terms), of: shop.shop, by: owner)
        guard case .campaignPublished(let campaign) = published.facts[0].event else { throw BenchError.unexpected }
        return (owner.account, shop.shop, campaign.campaign)
    }
}

enum BenchError: Error {
    case unexpected
    case missingTool(String)
    case failedRequests(Int)
    /// With the reason, if it is known.
    case notFollowing(String?)
}

/// Lets asynchronous code call the blocking `service.close()`.
func close(_ service: GreenTea) throws { try service.close() }
