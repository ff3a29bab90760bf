import Archive
import Audit
import CommandService
import Composition
import EventLog
import Foundation
import Histories
import Images
import Loyalty
import LoyaltyCodec
import PastStates
import ReadModels
import Search
import Testing

/// After the erasure of a customer and an owner, no file contains a text that they typed, or that others typed about them.
@Suite(.timeLimit(.minutes(15))) struct ErasedTownTests {
    private static let place = Coordinate(latitude: 30.254_371_9, longitude: 120.148_263_7)
    private static let words = [
        // Texts that the owner typed.
        "+8613900139001", "13900139001", "龙井茶馆", "Longjing House", "0571 8797 7767", "17 Nanshan Road", "18 Beishan Road", "Old Owner",
        "Winter holidays", "closed from Friday on", "we are sorry to hear that",
        "Ten cups of spring", "Nine cups of autumn", "ask our aunt behind", "The next one is on us", "A cake on top",
        // Texts that the customer typed.
        "+8613900139002", "13900139002", "小茶茶茶", "Hangzhou West Lake", "1996-02-29", "a very secret opinion", "correct horse battery",
        // Texts that others typed about the owner or the customer.
        "rewarded the wrong Ms Chen", "counted two for her umbrella", "sells stamps from the back door", "has promised to stop",
    ]

    private let data = TestData()

    private func open() throws -> GreenTea {
        // The program that was built together with these tests.
        let program = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: "greentea").path
        return try GreenTea(
            data: DataFolder(data.path), master: MasterSecret(bytes: Array(repeating: 7, count: 32)), passwords: .init(log2N: 4),
            pictures: PictureProgram(path: program, milliseconds: 600_000))
    }

    private func close(_ service: GreenTea) throws { try service.close() }

    /// Creates a town and erases its customer and its owner. The last reference to the service closes its files, so the service must not
    /// outlive this function.
    ///
    /// - Returns: the bytes of pictures and thumbnails: those erased with their owners, and those that others still use.
    private func liveAndErase() async throws -> (gone: [Data], kept: [Data]) {
        let service = try open()
        var town = try await ErasedTown(on: service)
        try await town.live()
        #expect(await service.models.reached(service.log.head, timeoutSeconds: 600))
        #expect(try service.opened(try #require(try service.past.shop(town.shop))).name == "Longjing House")
        let search = ShopSearch(near: Near(center: Self.place, radiusMeters: 500), text: "longjing")
        #expect(try service.discovery.shops(search).items.map(\.id) == [town.shop])
        for text in ["autumn", "aunt"] {
            #expect(
                try service.discovery.campaigns(CampaignSearch(text: text, now: service.clock.now())).items.map(\.id) == [town.campaign])
        }
        let content = try DiscoveryContent.stored(in: DataFolder(data.path).models)
        let replayed = try DiscoveryContent.replayed(service.log, through: service.log.head)
        #expect(content.digest == replayed.digest, "the content of the search database depends on no key")
        let (gone, kept) = (try await town.files(of: town.gone), try await town.files(of: town.kept))
        _ = try await service.eraseAccount(by: town.guest)
        _ = try await service.eraseAccount(by: town.owner)
        #expect(await service.models.reached(service.log.head, timeoutSeconds: 600))
        for id in town.gone { #expect(try await service.shownImage(id, width: nil) == nil) }
        let shop = try service.opened(try #require(try service.past.shop(town.shop)))
        #expect(shop.contact == .erased && shop.closing != nil)
        #expect(try service.discovery.shops(search).items.map(\.id) == [])
        let id = try #require(town.campaign)
        let campaign = try service.opened(try #require(try service.past.campaign(id)), of: shop)
        #expect(campaign.title == "" && campaign.details == "" && campaign.reward == "" && campaign.goal == 3)
        let erased = try DiscoveryContent.stored(in: DataFolder(data.path).models)
        #expect(try erased.digest == DiscoveryContent.replayed(service.log, through: service.log.head).digest)
        try close(service)
        return (gone, kept)
    }

    @Test("No data of an erased customer or owner remains in the folder, a backup or an export")
    func nothingIsLeft() async throws {
        let (gone, kept) = try await liveAndErase()
        #expect(gone.count == 10 && kept.count == 4)
        let (copy, tables) = (TestData().path + "/copy", TestData().path)
        _ = try Backup(of: AuditedFolder(data.path), to: copy).run()
        for format in [AnalystFormat.csv, .jsonl] {
            _ = try AnalystExport(of: try data.log(.readOnly), as: format).run(to: "\(tables)/\(format)")
        }
        var lines: [UInt8] = []
        _ = try Export(of: try data.log(.readOnly), format: .jsonl) { lines += $0 }.run()
        try Data(lines).write(to: URL(fileURLWithPath: tables + "/log.jsonl"))
        for folder in [data.path, copy, tables] {
            let all = try Self.bytes(of: folder)
            for word in Self.words {
                for form in Self.forms(of: word) { #expect(all.range(of: form) == nil, "\(word) in \(folder)") }
            }
            for degrees in [Self.place.latitude, Self.place.longitude] {
                for form in Self.forms(of: degrees) { #expect(all.range(of: form) == nil, "\(degrees) in \(folder)") }
            }
            for hash in try Self.hashes(of: ["+8613900139001", "+8613900139002"]) {
                for form in Self.forms(of: hash) { #expect(all.range(of: form) == nil, "a number's keyed hash in \(folder)") }
            }
            for picture in gone { #expect(all.range(of: picture) == nil, "a picture in \(folder)") }
            // The data folder has a thumbnail of each of the two kept pictures; a backup has no thumbnails.
            if folder != tables { #expect(kept.count { all.range(of: $0) != nil } == (folder == copy ? 2 : 4)) }
            // This control shows that the search finds data that is present.
            let other = try Self.hashes(of: ["+8613900139003"]).flatMap(Self.forms)
            #expect(other.contains { all.range(of: $0) != nil } == (folder == data.path))
            #expect(all.range(of: Data("Somebody else's tea".utf8)) != nil || folder != data.path)
            let report = folder == tables ? nil : try Verification(AuditedFolder(folder), options: .init(now: VerifiedLog.now)).run()
            #expect(report?.isClean ?? true, "\(String(describing: report))")
        }
    }

    @Test("A start completes an owner's erasure that a crash interrupted")
    func crash() async throws {
        let shop = try await certificateAlone()
        let service = try open()
        #expect(try service.opened(try #require(try service.past.shop(shop))).contact == .erased)
        try close(service)
        let keys = try Self.bytes(of: data.path + "/keys")
        let name = Data(stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: shop.value >> UInt128($0)) })
        #expect(keys.range(of: name) == nil)
    }

    @Test("A sweep deletes pictures left by an interrupted erasure, however new they are")
    func crashBeforePictures() async throws {
        try await erasedBesidesPictures()
        let service = try open()
        #expect(FileManager.default.subpaths(atPath: data.path + "/blobs")?.filter { $0.contains("/") }.count == 7)
        #expect(try await service.sweepImages() == 5)
        try close(service)
    }

    /// Performs an erasure without its last step, which deletes the pictures.
    private func erasedBesidesPictures() async throws {
        let service = try open()
        var town = try await ErasedTown(on: service)
        try await town.live()
        for person in [town.owner, town.guest] {
            try service.releasePictures(of: person.account)
            _ = try await service.submit(.eraseAccount(EraseAccount()), by: person)
        }
        try close(service)
    }

    private func certificateAlone() async throws -> ShopID {
        let service = try open()
        let town = try await ErasedTown(on: service)
        _ = try await service.submit(.eraseAccount(EraseAccount()), by: town.owner)
        try close(service)
        return town.shop
    }

    private static func bytes(of folder: String) throws -> Data {
        var all = Data()
        for file in FileManager.default.subpaths(atPath: folder) ?? [] {
            all.append(FileManager.default.contents(atPath: folder + "/" + file) ?? Data())
        }
        return all
    }

    /// Returns every value that the root secret's owner can derive from phone numbers.
    private static func hashes(of numbers: [String]) throws -> [UInt128] {
        let keys = Keys(try MasterSecret(bytes: Array(repeating: 7, count: 32)))
        return numbers.flatMap { number in
            (0..<3).map { keys.secret(ofPhone: number, generation: $0).value }
                + [keys.nobody(withPhone: number).value, keys.phoneName(of: number)]
        }
    }

    /// Returns the hash in big-endian bytes, little-endian bytes, and hexadecimal digits in lower and upper case.
    private static func forms(of hash: UInt128) -> [Data] {
        let bytes = stride(from: 120, through: 0, by: -8).map { UInt8(truncatingIfNeeded: hash >> UInt128($0)) }
        let hex = bytes.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        return [Data(bytes), Data(bytes.reversed()), Data(hex.utf8), Data(hex.uppercased().utf8)]
    }

    /// Returns the word as UTF-8, as UTF-16 in both byte orders, and in base64 at each of the three possible alignments.
    private static func forms(of word: String) -> [Data] {
        let raw = Data(word.utf8)
        let wide = word.utf16.flatMap { [UInt8(truncatingIfNeeded: $0), UInt8(truncatingIfNeeded: $0 >> 8)] }
        let bigEndian = word.utf16.flatMap { [UInt8(truncatingIfNeeded: $0 >> 8), UInt8(truncatingIfNeeded: $0)] }
        let base64 = (0..<3).map { skipped in
            let text = (Data(repeating: 0x41, count: skipped) + raw).base64EncodedString()
            // Base64 characters that depend on the neighbouring bytes are dropped.
            return Data(text.dropFirst(skipped == 0 ? 0 : 4).dropLast(4).utf8)
        }
        return [raw, Data(wide), Data(bigEndian)] + base64
    }

    /// Returns the number as text, as a double in the byte orders of SQLite and Protocol Buffers, and as the float of SQLite's
    /// R-trees.
    private static func forms(of degrees: Double) -> [Data] {
        func bytes<Number: FixedWidthInteger>(_ number: Number) -> Data {
            Data((0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number($0 * 8)) })
        }
        let (bits, float) = (degrees.bitPattern, Float(degrees).bitPattern)
        return [Data("\(degrees)".utf8), bytes(bits), bytes(bits.byteSwapped), bytes(float), bytes(float.byteSwapped)]
    }
}

/// A town with two shops, reviews, notices, a suspension, and a customer whose card was redeemed, reversed and adjusted.
private struct ErasedTown {
    let service: GreenTea
    let owner: Caller
    let guest: Caller
    let office: Caller
    let shop: ShopID
    /// Pictures that only the two erased people used, and pictures that others use as well.
    private(set) var (gone, kept): ([ImageID], [ImageID]) = ([], [])
    private(set) var campaign: CampaignID?

    init(on service: GreenTea) async throws {
        self.service = service
        owner = Caller(account: try await service.register(try #require(E164Number("+8613900139001"))).id)
        guest = Caller(account: try await service.register(try #require(E164Number("+8613900139002"))).id)
        office = Caller(account: try await service.register(try #require(E164Number("+8613900139003"))).id)
        let opened = try await service.openShop(
            name: "龙井茶馆", phone: "0571 8797 7767", address: "17 Nanshan Road", location: Coordinate(latitude: 30.1, longitude: 120.1),
            by: owner)
        guard case .shopOpened(let event) = opened.facts.first?.event else { throw CocoaError(.featureUnsupported) }
        shop = event.shop
    }

    mutating func live() async throws {
        let edit = EditShop(
            shop: shop, expected: .any, name: "Longjing House", address: "18 Beishan Road",
            location: Coordinate(latitude: 30.254_371_9, longitude: 120.148_263_7))
        _ = try await service.editShop(edit, by: owner)
        _ = try await service.openShop(
            name: "Somebody else's tea", phone: "110", address: "1 Tea Road", location: Coordinate(latitude: 30, longitude: 120), by: office
        )
        var draft = ProfileDraft()
        draft.nickname = .set("Old Owner")
        _ = try await service.editProfile(draft, by: owner)
        (draft.nickname, draft.city, draft.birthday) = (.set("小茶茶茶"), .set("Hangzhou West Lake"), .set("1996-02-29"))
        _ = try await service.editProfile(draft, by: guest)
        let phone = try #require(E164Number("+8613900139002"))
        let session = try await service.signIn(phone)
        let code = try service.verifications.begin(for: phone).code
        _ = try await service.setPassword(
            PasswordChange(to: "correct horse battery", .code(code, from: .unknown), keeping: session.session), by: guest)
        try await showPictures()
        try await hire(office)
        try await collect()
        try await talk()
        _ = try await service.suspendShop(shop, reason: "sells stamps from the back door", by: office)
        _ = try await service.reinstateShop(shop, reason: "has promised to stop", by: office)
    }

    /// Gives the customer an avatar and the shop pictures, and replaces them later. Another account keeps showing two of the replaced
    /// pictures.
    private mutating func showPictures() async throws {
        var pictures: [ImageID] = []
        for number in 0..<7 {
            let file = SamplePNG.file(width: 200, height: 8, seed: UInt8(number))
            pictures.append(try await service.addImage(file, by: owner).id)
        }
        (gone, kept) = (Array(pictures[..<5]), Array(pictures[5...]))
        var draft = ProfileDraft()
        for avatar in [pictures[0], pictures[1], pictures[5]] {
            draft.avatar = .set(avatar)
            _ = try await service.editProfile(draft, by: guest)
        }
        for images in [[pictures[2]], [pictures[3], pictures[6]]] {
            _ = try await service.editShop(EditShop(shop: shop, expected: .any, images: images), by: owner)
        }
        // Another account uses these pictures as its avatar and in its shop.
        draft.avatar = .set(pictures[6])
        _ = try await service.editProfile(draft, by: office)
        let other = try #require(try service.past.firstShop(ownedBy: office.account))
        _ = try await service.editShop(EditShop(shop: other.id, expected: .any, images: [pictures[5]]), by: office)
        let now = service.clock.now()
        let shown = CampaignDraft(
            kind: .promotion,
            terms: CampaignTerms(
                title: "New", details: "", goal: 0, reward: "", startsAt: now, endsAt: now.advanced(bySeconds: 60), image: pictures[4]))
        _ = try await service.publishCampaign(shown, of: shop, by: owner)
    }

    /// Returns the bytes of each picture and of one thumbnail of it.
    func files(of pictures: [ImageID]) async throws -> [Data] {
        var files: [Data] = []
        for picture in pictures {
            for width in [nil, 160] {
                let image = try #require(try await service.shownImage(picture, width: width)).image
                files.append(Data(try image.bytes(in: 0..<image.count)))
            }
        }
        return files
    }

    private func hire(_ staff: Caller) async throws {
        let offer = try await service.inviteStaff(staff.account, to: shop, by: owner)
        let invitation: InvitationID? = if case .staffInvited(let event) = offer.facts.first?.event { event.invitation } else { nil }
        _ = try await service.submit(.acceptInvitation(AcceptInvitation(invitation: try #require(invitation))), by: staff)
    }

    private mutating func collect() async throws {
        let now = service.clock.now()
        let draft = CampaignDraft(
            kind: .stampCard,
            terms: CampaignTerms(
                title: "Ten cups of spring", details: "ask our aunt behind the counter", goal: 3, reward: "The next one is on us",
                startsAt: now, endsAt: now.advanced(bySeconds: 86_400)))
        let published = try await service.publishCampaign(draft, of: shop, by: owner)
        guard case .campaignPublished(let campaign) = published.facts.first?.event else { return }
        self.campaign = campaign.campaign
        let issued = try await service.issueCode(of: campaign.campaign, stamps: 3, validFor: 600, by: owner)
        guard case .codeIssued(let code) = issued.facts.first?.event else { return }
        let stamped = try await service.stamp(service.stampCode(of: code), by: guest)
        let card = try #require(stamped.cards.first)
        let asked = try await service.requestRedemption(of: card.id, by: guest)
        guard case .redemptionRequested(let redemption) = asked.facts.last?.event else { return }
        _ = try await service.redeem(service.redemptionCode(of: redemption), by: owner)
        _ = try await service.reverse(redemption.redemption, reason: "rewarded the wrong Ms Chen", by: owner)
        let adjust = AdjustCard(card: card.id, expected: .any, stamps: -1, reason: "counted two for her umbrella")
        _ = try await service.adjustCard(adjust, by: office)
        let edit = EditCampaign(campaign: campaign.campaign, expected: .any, title: "Nine cups of autumn", reward: "A cake on top")
        _ = try await service.editCampaign(edit, by: owner)
    }

    private func talk() async throws {
        let posted = try await service.postReview(of: shop, rating: 4, text: "a very secret opinion", by: guest)
        guard case .reviewPosted(let review) = posted.facts.first?.event else { return }
        _ = try await service.postReply(to: review.review, text: "we are sorry to hear that", by: owner)
        _ = try await service.postNotice(title: "Winter holidays", text: "closed from Friday on", to: .shop(shop), by: owner)
    }
}
