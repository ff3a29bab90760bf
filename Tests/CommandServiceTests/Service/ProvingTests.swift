import CommandService
import Composition
import EventLog
import Foundation
import LoyaltyCodec
import Merkle
import Testing

/// The service's own checkpoint survives a restart and exposes a log that was rolled back.
@Suite(.fewAtOnce, .timeLimit(.minutes(15))) struct ProvingTests {
    private func grow(_ site: Site) async throws {
        let shop = try await TeaShop.open(on: site.service, goal: 3)
        let guest = try await customer(1, on: site.service)
        _ = try await site.service.stamp(try await shop.code(on: site.service), by: guest)
    }

    @Test("A service that is closed leaves a signed checkpoint of the whole log")
    func signedAtClose() async throws {
        let site = try Site()
        try await grow(site)
        let (key, head) = (site.service.checkpoints.verifierKey, site.service.log.head)
        try Self.close(site)
        let note = try Data(contentsOf: URL(filePath: DataFolder(site.folder.path).checkpoint))
        let checkpoint = try TrustPolicy(key).open(try SignedNote([UInt8](note))).checkpoint
        #expect(checkpoint.size == head.rawValue)
        try Self.reopen(site)
        #expect(site.service.checkpoints.verifierKey == key && site.service.checkpoint.checkpoint == checkpoint)
    }

    @Test("An older copy of the log is refused until the operator accepts it")
    func olderCopy() async throws {
        let site = try Site()
        let data = DataFolder(site.folder.path)
        try Self.close(site)
        try FileManager.default.copyItem(atPath: data.log, toPath: data.path + "/older")
        try Self.reopen(site)
        try await grow(site)
        try Self.close(site)
        try FileManager.default.removeItem(atPath: data.log)
        try FileManager.default.moveItem(atPath: data.path + "/older", toPath: data.log)
        let error = #expect(throws: EventLogError.self) { _ = try Self.open(site, ProvingOptions()) }
        #expect(error?.code == .rolledBack)
        var accepting = ProvingOptions()
        accepting.acceptsOlderLog = true
        let service = try Self.open(site, accepting)
        guard case .replaced = service.checkpoints.opening else { return #expect(Bool(false), "\(service.checkpoints.opening)") }
        try Self.close(service)
    }

    @Test("A log refuses an origin other than its own")
    func anotherOrigin() throws {
        let site = try Site()
        try site.close()
        var named = ProvingOptions()
        named.origin = "tea.example/log"
        let error = #expect(throws: EventLogError.self) { _ = try Self.open(site, named) }
        #expect(error?.code == .otherOrigin)
    }

    // A service may be opened and closed on plain threads only, so these functions are synchronous.

    private static func open(_ site: Site, _ proving: ProvingOptions) throws -> GreenTea {
        try GreenTea(data: DataFolder(site.folder.path), master: MasterSecret(bytes: Site.secret), clock: site.clock, proving: proving)
    }

    private static func close(_ site: Site) throws { try site.close() }
    private static func close(_ service: GreenTea) throws { try service.close() }
    private static func reopen(_ site: Site) throws { try site.open() }
}
