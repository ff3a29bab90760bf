import CommandService
import Composition
import Crypto
import EventLog
import Foundation
import Hummingbird
import Loyalty
import LoyaltyCodec

struct BadgeRoutes: RouteGroup {
    private static let stampsDefault = 1

    let resources: Resources

    var routes: [Route] { [.get("/v1/me/badge", badge), .post("/v1/campaigns/{id}/stamps", give)] }

    /// `GET /me/badge`: a code, also as a picture, that identifies the account at the counter for two minutes.
    private func badge(_ request: Request, _ context: APIContext) async throws -> Response {
        let bearer = try await resources.gate.admit(request)
        // Stamps given by this badge come after this position, so the badge's page can tell which stamps of its stream are new.
        let head = resources.service.log.head
        // A badge holds whole seconds, so the time is rounded down.
        let now = resources.now
        let expiresAt = Instant(microseconds: now.microseconds - now.microseconds % 1_000_000).advanced(bySeconds: Limits.badgeSeconds)
        let code = try resources.signing.badges.code(
            for: bearer.account, until: expiresAt, nonce: resources.service.randomness.bytes(BadgeSeal.nonceBytes))
        let payload = resources.publicURL + BadgeSeal.path + code
        let answer: JSONFields = ["code": code, "payload": payload, "qrSvg": QRCode(payload)?.svg, "expiresAt": expiresAt]
        return Response.ok(answer).showing(head).unstored()
    }

    /// `POST /campaigns/{id}/stamps`.
    private func give(_ request: Request, _ context: APIContext) async throws -> Response {
        let write = try await resources.write(request, requiresKey: true)
        let campaign = try context.id(Campaign.self)
        let body = try await request.json(GivenStampsRequest.init)
        let caller = write.caller(canonical(body, campaign))
        try requireStaff(of: campaign, caller)
        let acceptance = try await give(body, campaign, caller)
        // Right after the command, without their history, which only the holder may see.
        let cards = try acceptance.cards.map { CardAnswer(card: try resources.service.opened($0), withHistory: false) }
        let phone = try body.phone?.typed().number
        let answer: JSONFields = [
            "card": IfPresent(cards.first), "cards": cards, "phone": IfPresent(phone?.text), "paper": IfPresent(try paper(of: acceptance)),
            "added": acceptance.stampsAdded, "position": acceptance.position, "at": IfPresent(acceptance.facts.last?.time),
        ]
        return .written(.created, for: acceptance, answer)
    }

    /// Requires that the caller works at one of the campaign's shops, before the badge or paper card is looked at. Refusals would otherwise
    /// tell anybody which badges and cards are valid. A retry of an accepted request passes.
    private func requireStaff(of campaign: CampaignID, _ caller: Caller) throws {
        if try resources.isStaff(caller.account, of: campaign) { return }
        if try resources.service.isAnswered(caller) { return }
        _ = try resources.existing { try $0.campaign(campaign) }
        throw Problem(.forbidden)
    }

    /// Contains the badge's account and not its text, so that a retry is recognised after the badge has expired.
    private func canonical(_ body: GivenStampsRequest, _ campaign: CampaignID) -> CanonicalRequest {
        var canonical = CanonicalRequest("POST /v1/campaigns/stamps", campaign, body.stamps ?? Self.stampsDefault)
        canonical.add(body.badge.flatMap { resources.signing.badges.badge(in: $0) }?.account.text)
        canonical.add(body.phone?.text)
        if let paper = body.paper { canonical.add(ShownPaper.code(in: paper)?.text ?? paper) }
        canonical.add(shop: body.shop)
        canonical.add(regionOf: body.phone)
        return canonical
    }

    private func paper(of acceptance: Acceptance) throws -> JSONFields? {
        guard case .paperStamped(let event) = acceptance.facts.last?.event else { return nil }
        let (paper, campaign) = try resources.existing(through: acceptance.position) { past in
            try past.paper(event.paper.id).flatMap { paper in try past.campaign(event.campaign).map { (paper, $0) } }
        }
        return ["stamps": paper.stamps, "goal": campaign.goal]
    }

    /// Requires exactly one of badge, phone number and paper card.
    private func give(_ body: GivenStampsRequest, _ campaign: CampaignID, _ caller: Caller) async throws -> Acceptance {
        let stamps = body.stamps ?? Self.stampsDefault
        switch (body.badge, body.phone, body.paper) {
        case (let badge?, nil, nil):
            let holder = try holder(of: badge, caller)
            let command = resources.service.giving(stamps, at: CampaignPlace(campaign, at: body.shop), to: holder)
            do {
                return try await resources.service.giveStamps(command, by: caller)
            } catch {
                throw try refusal(of: badge, after: error)
            }
        case (nil, let phone?, nil):
            let phone = try resources.number(of: resources.typed(phone, by: caller))
            return try await give(NumberGift(stamps, at: CampaignPlace(campaign, at: body.shop), toPhone: phone, by: caller))
        case (nil, nil, let paper?):
            let paper = try await resources.paper(with: ShownPaper.code(in: paper), for: caller)
            let command = resources.service.stamping(stamps, of: campaign, shop: body.shop, onto: paper)
            return try await resources.service.giveStamps(command, by: caller)
        default: throw Problem.invalid("badge", .badgePhoneOrPaper)
        }
    }

    private func holder(of shown: String, _ caller: Caller) throws -> AccountID {
        guard let badge = resources.signing.badges.badge(in: shown) else { throw try resources.refusal(.badgeNotValid, of: caller) }
        // A retry gets its answer even if the badge has expired or its account was erased.
        if try resources.service.isAnswered(caller) { return badge.account }
        // A badge made while the server's clock was ahead would be valid for too long.
        let latest = resources.now.advanced(bySeconds: Limits.badgeSeconds)
        let isGood = resources.now < badge.expiresAt && badge.expiresAt <= latest
        // The counter must not learn that an account was erased, so its badge is refused like any invalid one.
        guard try isGood && resources.service.reading({ try !$0.wasErased(badge.account) }) else { throw Problem(.badgeNotValid) }
        return badge.account
    }

    /// The account may have been erased after ``holder(of:_:)``. Its badge is then refused like any invalid one.
    private func refusal(of shown: String, after error: ServiceError) throws -> any Error {
        guard error == .rejected(.notFound), let badge = resources.signing.badges.badge(in: shown),
            try resources.service.reading({ try $0.wasErased(badge.account) })
        else { return error }
        return Problem(.badgeNotValid)
    }

    private func give(_ gift: NumberGift) async throws -> Acceptance {
        // A retry by somebody who no longer works there uses up no budget.
        guard try resources.service.mayGiveStamps(of: gift.place.campaign, by: gift.caller.account) else {
            return try await resources.service.giveStamps(gift)
        }
        return try await resources.counted(.numberStamps, by: gift.caller) { try await giveCountingStrangers(gift) }
    }

    /// Counts unknown numbers, because each is stored even if its holder never registers. Once that budget is used up, the member gives
    /// stamps to no number: the answer would otherwise reveal which numbers are registered.
    private func giveCountingStrangers(_ gift: NumberGift) async throws -> Acceptance {
        let caller = gift.caller
        let budget = resources.budgets[.strangerStamps]
        let service = resources.service
        let isNew = try !service.isKnown(gift.phone)
        let isBegun = try await resources.begin(caller.account, of: budget, for: caller)
        var isMade = false
        defer { if isBegun { budget.end(caller.account, failed: isMade) } }
        let acceptance = try await service.giveStamps(gift)
        isMade = isNew && !acceptance.isReplay
        return acceptance
    }
}

struct GivenStampsRequest {
    let badge: String?
    let phone: PhoneField?
    let paper: String?
    let stamps: Int?
    /// Optional if the caller works at only one of the campaign's shops.
    let shop: NamedShop?

    init(_ fields: inout FieldReader) {
        badge = fields.optionalString("badge")
        phone = fields.optionalPhone()
        paper = fields.optionalString("paper")
        stamps = fields.optionalInt("stamps")
        shop = fields.optionalShop("shop")
    }
}

extension Acceptance {
    var stampsAdded: Int {
        facts.reduce(0) { sum, fact in
            if case .cardStamped(let event) = fact.event { sum + event.stamps } else { sum }
        }
    }
}

struct Badge {
    let account: AccountID
    let expiresAt: Instant
}

/// Makes and reads the codes of badges: account and end of validity, encrypted and authenticated (RFC 8439), as base64url. No badge is
/// stored: any server with the root secret reads it. A reader learns nothing about the account and cannot link two of its badges.
struct BadgeSeal: Sendable {
    static let path = "/b/"
    static let nonceBytes = 12
    private static let version: UInt8 = 1
    /// An account's id (16 bytes) and seconds since 1970 (4 bytes, until 2106).
    private static let contentBytes = 20

    private let key: SymmetricKey

    init(seed: [UInt8]) {
        key = HKDF<SHA256>.deriveKey(inputKeyMaterial: SymmetricKey(data: seed), info: Array("greentea/v1/badge".utf8), outputByteCount: 32)
    }

    /// - Parameter nonce: ``nonceBytes`` bytes, never used with this key before.
    func code(for account: AccountID, until end: Instant, nonce: [UInt8]) throws -> String {
        let content = Self.bytes(account.value) + Self.bytes(UInt32(clamping: end.microseconds / 1_000_000))
        let box = try ChaChaPoly.seal(content, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: [Self.version])
        return box.combined.base64EncodedString().replacingOccurrences(of: "+", with: "-").replacingOccurrences(of: "/", with: "_")
    }

    /// Nil unless made with this key.
    func badge(in text: String) -> Badge? {
        let code = text.contains("://") ? text.range(of: Self.path, options: .backwards).map { String(text[$0.upperBound...]) } : text
        guard let code, code.utf8.count <= Limits.badgeCharactersMax else { return nil }
        let base64 = code.replacingOccurrences(of: "-", with: "+").replacingOccurrences(of: "_", with: "/")
        guard let bytes = Data(base64Encoded: base64), let box = try? ChaChaPoly.SealedBox(combined: bytes),
            let content = try? ChaChaPoly.open(box, using: key, authenticating: [Self.version]), content.count == Self.contentBytes
        else { return nil }
        let account = content.prefix(16).reduce(UInt128(0)) { $0 << 8 | UInt128($1) }
        let end = content.suffix(4).reduce(Int64(0)) { $0 << 8 | Int64($1) }
        return Badge(account: AccountID(account), expiresAt: Instant(microseconds: end * 1_000_000))
    }

    static func couldBeBadge(_ text: String) -> Bool {
        text.utf8.count == Limits.badgeCharactersMax
            && text.utf8.allSatisfy { byte in
                let character = UInt8(ascii: "a")...UInt8(ascii: "z") ~= byte | 0x20
                return character || UInt8(ascii: "0")...UInt8(ascii: "9") ~= byte || byte == UInt8(ascii: "-") || byte == UInt8(ascii: "_")
            }
    }

    private static func bytes<Number: FixedWidthInteger>(_ number: Number) -> [UInt8] {
        (0..<Number.bitWidth / 8).map { UInt8(truncatingIfNeeded: number >> Number(Number.bitWidth - 8 - 8 * $0)) }
    }
}
