import Archive
import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Histories
import Loyalty
import LoyaltyCodec
import Projections
import ReadModels
import Testing

/// Erasing an account removes the person's text from every file in the folder, and changes none of the counts in the models.
@Suite(.timeLimit(.minutes(15))) struct ErasedFolderTests {
    private static let phone = "+8613800139999"
    private static let secrets = [
        phone, String(phone.dropFirst()), "小茶茶茶", "Hangzhou West Lake", "1996-02-29", "nonbinary", "a very secret opinion",
        "a very secret answer", "correct horse battery", "a very secret search", "a very secret word",
    ]

    private let data = TestData()

    private func open() throws -> GreenTea {
        try GreenTea(data: DataFolder(data.path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4))
    }

    private func close(_ service: GreenTea) throws { try service.close() }

    /// Creates a customer with a profile, a password and, at another owner's shop, a card, a review and a reply.
    private func live(on service: GreenTea) async throws -> Caller {
        let owner = Caller(account: try await service.register(try #require(E164Number("+8613800130001"))).id)
        let signedIn = try await service.signIn(try #require(E164Number(Self.phone)))
        let guest = Caller(account: signedIn.account.id)
        var draft = ProfileDraft()
        (draft.nickname, draft.city, draft.birthday) = (.set("小茶茶茶"), .set("Hangzhou West Lake"), .set("1996-02-29"))
        draft.gender = .set("nonbinary")
        _ = try await service.editProfile(draft, by: guest)
        let code = try service.verifications.begin(for: try #require(E164Number(Self.phone))).code
        let change = PasswordChange(to: "correct horse battery", .code(code, from: .unknown), keeping: signedIn.session)
        _ = try await service.setPassword(change, by: guest)
        let opened = try await service.openShop(
            name: "绿茶", phone: "+86 21 5555", address: "1 Tea Road", location: Coordinate(latitude: 31.2, longitude: 121.5), by: owner)
        guard case .shopOpened(let shop) = opened.facts.first?.event else { return guest }
        try await collect(at: shop.shop, owner, guest, service)
        let posted = try await service.postReview(of: shop.shop, rating: 4, text: "a very secret opinion", by: guest)
        guard case .reviewPosted(let review) = posted.facts.first?.event else { return guest }
        _ = try await service.postReply(to: review.review, text: "a very secret answer", by: guest)
        let terms = SearchTerms(name: "a very secret search", text: "a very secret word")
        _ = try await service.saveSearch(terms, alerts: true, by: guest)
        return guest
    }

    private func collect(at shop: ShopID, _ owner: Caller, _ guest: Caller, _ service: GreenTea) async throws {
        let now = service.clock.now()
        // Older versions stored the campaign's texts unencrypted, as this command does.
        let publish = PublishCampaign(
            campaign: CampaignID(5), shop: shop, kind: .stampCard,
            terms: CampaignTerms(
                title: "Ten cups", details: "", goal: 10, reward: "The eleventh", startsAt: now, endsAt: now.advanced(bySeconds: 86_400)))
        let published = try await service.submit(.publishCampaign(publish), by: owner)
        guard case .campaignPublished(let campaign) = published.facts.first?.event else { return }
        let issued = try await service.issueCode(of: campaign.campaign, stamps: 3, validFor: 600, by: owner)
        guard case .codeIssued(let code) = issued.facts.first?.event else { return }
        _ = try await service.stamp(service.stampCode(of: code), by: guest)
    }

    private func expectNothing(in folder: String) throws {
        let files = (FileManager.default.subpaths(atPath: folder) ?? []).map { folder + "/" + $0 }
        var all = Data()
        for file in files where FileManager.default.isReadableFile(atPath: file) {
            all.append(FileManager.default.contents(atPath: file) ?? Data())
        }
        for secret in Self.secrets { #expect(all.range(of: Data(secret.utf8)) == nil, "\(secret) in \(folder)") }
        // This control shows that the search finds text that is present.
        #expect(all.range(of: Data("The eleventh".utf8)) != nil)
    }

    /// Creates a customer's data and erases the account. The last reference to the service closes its files, so the service must not
    /// outlive this function.
    private func liveAndErase() async throws {
        let service = try open()
        let guest = try await live(on: service)
        let (cards, before) = (try service.models.cards.cards(of: guest.account).cards, service.log.head)
        #expect(cards.map(\.stamps) == [3])
        _ = try await service.eraseAccount(by: guest)
        #expect(await service.models.reached(service.log.head, timeoutSeconds: 600))
        #expect(try service.models.cards.cards(of: guest.account).cards == cards)
        #expect(service.log.head > before)
        try close(service)
    }

    @Test("An erased person's texts are in no file of the folder or its backup, and no count has changed")
    func erasedTexts() async throws {
        try await liveAndErase()
        let copy = TestData().path + "/copy"
        try expectNothing(in: data.path)
        _ = try Backup(of: AuditedFolder(data.path), to: copy).run()
        try expectNothing(in: copy)
        for folder in [data.path, copy] {
            let report = try Verification(AuditedFolder(folder), options: .init(now: VerifiedLog.now)).run()
            #expect(report.isClean, "\(report)")
        }
        for model in ReadModels.models { try expectEqual(model) }
    }

    private func expectEqual<Model: Projection>(_ model: Model.Type) throws {
        let verdict = try Comparison(models: data.models, log: try data.log(.readOnly)).verdict(of: model)
        guard case .equal(_, let rows) = verdict else {
            Issue.record("\(verdict)")
            return
        }
        // `Deadlines` may have no rows, because no deadline is pending in this history, and the erased person had the only search.
        #expect(rows > 0 || [Deadlines.name, Searches.name].contains(Model.name))
    }
}
