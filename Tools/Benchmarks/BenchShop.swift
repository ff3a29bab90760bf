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
    static func open(in folder: String, customers count: Int, clock: any Clock = SystemClock()) async throws -> BenchShop {
        let service = try openService(in: folder, clock)
        let owner = try await service.register(identity: "bench:owner").id
        let opened = try await service.openShop(
            name: "Bench Tea", phone: "+10000000", address: "1 Bench Road", location: Coordinate(latitude: 0, longitude: 0),
            by: Caller(account: owner))
        guard case .shopOpened(let shop) = opened.facts[0].event else { throw BenchError.unexpected }
        let now = service.clock.now()
        let draft = CampaignDraft(
            kind: .stampCard,
            terms: CampaignTerms(
                title: "Ten cups", details: "", goal: 10, reward: "The eleventh", startsAt: now, endsAt: now.advanced(bySeconds: 86_400)))
        let published = try await service.publishCampaign(draft, of: shop.shop, by: Caller(account: owner))
        guard case .campaignPublished(let campaign) = published.facts[0].event else { throw BenchError.unexpected }
        var customers: [AccountID] = []
        for number in 0..<count { customers.append(try await service.register(identity: "bench:\(number)").id) }
        return BenchShop(service: service, owner: owner, campaign: campaign.campaign, customers: customers)
    }

    /// Issues `count` codes, and returns the newest first: customers enter fresh codes, which the writer still has in memory.
    func issue(_ count: Int) async throws -> [TypedCode] {
        let lanes = min(512, count)
        let issued = try await withThrowingTaskGroup(of: [Acceptance].self) { group in
            for lane in 0..<lanes {
                group.addTask {
                    var issued: [Acceptance] = []
                    for _ in stride(from: lane, to: count, by: lanes) {
                        issued.append(
                            try await service.issueCode(of: campaign, stamps: 1, validFor: 86_400, by: Caller(account: owner)))
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

    private static func openService(in folder: String, _ clock: any Clock) throws -> GreenTea {
        var proving = ProvingOptions()
        // A generated log has neither keys nor checkpoints.
        (proving.acceptsOlderLog, proving.acceptsLostKeys) = (true, true)
        return try GreenTea(
            data: DataFolder(folder), master: MasterSecret(bytes: SystemRandomness().bytes(32)), clock: clock, proving: proving)
    }
}

enum BenchError: Error {
    case unexpected
    case missingTool(String)
    case failedRequests(Int)
}

/// Lets asynchronous code call the blocking `service.close()`.
func close(_ service: GreenTea) throws { try service.close() }
