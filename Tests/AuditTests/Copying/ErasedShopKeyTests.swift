import Archive
import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Testing

/// An owner's erasure also destroys the keys of the owner's shops. Copies of those keys are reported as leftovers, like copies of account
/// keys.
@Suite(.timeLimit(.minutes(15))) struct ErasedShopKeyTests {
    private let data = TestData()
    private let place = TestData().path

    /// Runs one action on a service and closes it, because a backup opens the key store too, and a process can open the store only once.
    private func serve<Value: Sendable>(_ act: (GreenTea) async throws -> Value) async throws -> Value {
        let service = try open()
        let value = try await act(service)
        try close(service)
        return value
    }

    private func open() throws -> GreenTea {
        try GreenTea(data: DataFolder(data.path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4))
    }

    private func close(_ service: GreenTea) throws { try service.close() }

    private func number(_ last: Int) throws -> E164Number { try #require(E164Number("+861380013\(1000 + last)")) }

    /// Backs up the folder and its keys, and returns the path of the copied keys.
    private func copyKeys(_ name: String) throws -> String {
        let path = place + "/keys/" + name
        _ = try Backup(of: AuditedFolder(data.path), to: place + "/" + name, keys: path).run()
        return path
    }

    private func leftovers(_ copies: [String]) throws -> [AccountID: [String]] {
        let report = try ErasureReport(of: AuditedFolder(data.path), copies: copies)
        return Dictionary(uniqueKeysWithValues: report.erasures.map { ($0.account, $0.leftovers) })
    }

    @Test("A copy of keys older than the present owner still opens the shop of an erased owner, and both reports say so")
    func takenOver() async throws {
        let (founder, shop) = try await serve { service -> (AccountID, ShopID) in
            let founder = Caller(account: try await service.register(number(1)).id)
            let opened = try await service.openShop(
                name: "Tea", phone: "111", address: "1 Tea Road", location: Coordinate(latitude: 31, longitude: 121), by: founder)
            return (founder.account, try #require(opened.facts.first?.event.shop))
        }
        let early = try copyKeys("early")
        let owner = try await serve { service -> AccountID in
            let owner = Caller(account: try await service.register(number(2)).id)
            let offered = try await service.offerTransfer(of: shop, to: owner.account, by: Caller(account: founder))
            let offer = offered.facts.compactMap { if case .transferOffered(let event) = $0.event { event.invitation } else { nil } }.first
            _ = try await service.submit(.acceptInvitation(AcceptInvitation(invitation: try #require(offer))), by: owner)
            _ = try await service.editShop(EditShop(shop: shop, expected: .any, phone: "222", address: "2 Tea Road"), by: owner)
            _ = try await service.eraseAccount(by: Caller(account: founder))
            return owner.account
        }
        let middle = try copyKeys("middle")
        #expect(try leftovers([early, middle]) == [founder: [early]], "the shop has another owner")
        try await serve { _ = try await $0.eraseAccount(by: Caller(account: owner)) }
        let late = try copyKeys("late")
        #expect(try leftovers([early, middle, late]) == [founder: [early], owner: [early, middle]])
        let list = try BackupList(of: AuditedFolder(data.path), in: place, keys: [place + "/keys"])
        #expect(list.keyCopies.map(\.path) == [early, late, middle])
        #expect(list.keyCopies.map(\.erased) == [[founder, owner], [], [owner]])
        let own = try ErasureReport(of: AuditedFolder(data.path), copies: [])
        #expect(own.isDone && own.erasures.count == 2)
    }
}
