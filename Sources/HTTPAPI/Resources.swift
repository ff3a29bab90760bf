import CommandService
import Composition
import EventLog
import HTTPTypes
import Hummingbird
import Loyalty
import LoyaltyCodec
import ReadModels
import Search
import WhatIf

/// The parts of the service that routes share. A structure because of a fault of Swift 6.3.1: with a class, the handler of a stamp jumped
/// to address 0 in release builds.
struct Resources: Sendable {
    let service: GreenTea
    let configuration: API.Configuration
    private let address: PublicAddress
    let signing: Signing
    let gate: Gate
    let pages: OwnPages
    let budgets: Budgets
    let slots: WorkSlots
    let kept: KeptAnswers
    let codeMessages: CodeMessages
    let reports = ReportQueue()
    /// Serialises uploads of pictures, and changes of a password or a phone number, by idempotency key.
    let turns: RequestTurns
    /// Logs the warning about an unconfigured proxy once.
    let proxyWarning = FirstTime()

    init(service: GreenTea, configuration: API.Configuration) throws {
        self.service = service
        self.configuration = configuration
        address = PublicAddress(configuration.publicURL)
        signing = try Signing(seed: service.keys.tokenSigningSeed)
        pages = OwnPages(address: address)
        gate = Gate(service: service, tokens: signing.tokens, pages: pages, rates: configuration.requestRates, configuration.peers)
        budgets = Budgets(clock: service.clock)
        slots = .init(clock: service.clock)
        kept = KeptAnswers(of: service)
        codeMessages = CodeMessages(of: service.verifications, caps: configuration.messageLimits.map { MessageCaps($0) })
        turns = RequestTurns(clock: service.clock)
        service.sessionEndings.add { [weak gate] in gate?.end($0) }
    }

    /// Without a final slash.
    var publicURL: String { address.text }

    var isAtLoopback: Bool { address.isLoopback }

    func reached(at url: String) { address.change(to: url) }

    var now: Instant { service.clock.now() }

    var steadyNow: Instant { service.clock.steady() }
}

/// Answers kept for reuse.
struct KeptAnswers: Sendable {
    let pages = RenderedPages()
    let siteMaps = SiteMaps()
    /// By idempotency key.
    let sessions: SessionAnswers
    /// By the spent refresh token.
    let refreshes: SessionAnswers
    let whatIfs: WhatIfJobs

    init(of service: GreenTea) {
        sessions = SessionAnswers(.sessionAnswers, clock: service.clock, seconds: Limits.sessionAnswerSeconds)
        refreshes = SessionAnswers(.refreshAnswers, clock: service.clock, seconds: Limits.refreshGraceSeconds)
        whatIfs = WhatIfJobs(reading: service.log, clock: service.clock)
        service.atClosing { [whatIfs] in whatIfs.stop() }
    }
}

extension Resources {
    /// Waits until an answer can show the account's own last write, and all events up to the position that the client names.
    ///
    /// Writes do not wait for read models, so the same account's next read does. The server remembers a write's position only in memory:
    /// after a restart, elsewhere, or after another account's write, the client must name it.
    ///
    /// - Parameters:
    ///   - account: nil for an anonymous reader, or if the answer comes from the log, which has every write.
    ///   - models: the read models of the answer; none if it comes from the log alone.
    /// - Throws: `notCaughtUp` after a timeout, `invalidRequest` for a text that is not a position.
    func awaitPosition(of request: Request, by account: AccountID? = nil, in models: String...) async throws {
        let named = try Self.minPosition(of: request)
        let own = account.flatMap { service.ownWrites.lastPosition(of: $0) }
        guard let position = [named, own].compactMap(\.self).max() else { return }
        guard try await isReached(position, in: Set(models)) else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
    }

    /// - Throws: `notCaughtUp` after a timeout.
    func awaitHead(in models: String...) async throws {
        guard try await isReached(service.log.head, in: Set(models)) else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
    }

    private func isReached(_ position: Position, in models: Set<String>) async throws -> Bool {
        let seconds = Limits.minPositionSecondsMax
        if models.isEmpty { return try await service.log.headSignal.reached(position, timeoutSeconds: seconds) }
        return await service.models.reached(position, timeoutSeconds: seconds, in: models)
    }

    static func minPosition(of request: Request) throws(Problem) -> Position? {
        guard let text = request.headers.text(of: .greenTeaMinPosition) else { return nil }
        guard let position = Position(decimal: text) else { throw Problem.invalid("", .headerPosition("GreenTea-Min-Position")) }
        return position
    }
}

extension Position {
    /// Nil for text that is not digits alone, such as a number with a sign.
    init?(decimal text: String) {
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let number = UInt64(text) else { return nil }
        self.init(number)
    }
}

/// Answers that several routes need.
extension Resources {
    func existing<Value>(through position: Position? = nil, _ find: (LogPast<EventLog>) throws -> Value?) throws -> Value {
        guard let value = try service.reading(through: position, find) else { throw Problem(.notFound) }
        return value
    }

    func shop(_ id: ShopID, through position: Position? = nil) throws -> Shop {
        try service.opened(try existing(through: position) { try $0.shop(id) })
    }

    /// Right after the write, so that a retry gets the same answer.
    func campaignAnswer(_ id: CampaignID, at acceptance: Acceptance, by sender: RequestSender) throws -> CampaignAnswer {
        let campaign = try existing(through: acceptance.position) { try $0.campaign(id) }
        let known = knownShops(through: acceptance.position)
        let shop = try known.shop(campaign.shop)
        return CampaignAnswer(
            campaign: try service.opened(campaign, of: shop), shop: shop,
            shops: try known.named(by: campaign), now: time(of: acceptance, by: sender),
            standing: try standing(of: id, at: acceptance))
    }

    /// Right after the write, so that a retry gets the same answer. The log decides; the read model only saves counting.
    func standing(of campaign: CampaignID, at acceptance: Acceptance) throws -> Standing {
        let counted = (try? service.discovery.favoriteCount(of: campaign, through: acceptance.position)) ?? nil
        let since = try service.reading(through: acceptance.position) {
            try $0.favoriteCount(of: campaign, after: counted?.through ?? .start)
        }
        return Standing(favorites: (counted?.favorites ?? 0) + since, isFavorite: nil)
    }

    /// Nil for an event of another type.
    func feedbackAnswer(_ fact: Fact) throws -> FeedbackItemAnswer? {
        guard case .feedbackGiven(let event) = fact.event else { return nil }
        return FeedbackItemAnswer(
            author: event.author, text: try text(event.text, as: .feedbackText, of: event.author), at: fact.time, position: fact.position)
    }

    /// Nil without a text, or if its author was erased.
    func text(_ sealed: Sealed?, as field: SealedField, of author: AccountID) throws -> String? {
        guard let sealed else { return nil }
        return try service.open(sealed, as: field, of: author)
    }

    /// - Parameter time: decides the phone number, since a change takes effect later. A write passes its own time, so that a retry gets the
    ///   same answer.
    func accountAnswer(_ id: AccountID, through position: Position? = nil, at time: Instant? = nil) throws -> AccountAnswer {
        let time = time ?? now
        let (account, shop) = try service.reading(through: position) { (try $0.account(id), try $0.firstShop(ownedBy: id)) }
        guard let account else { throw Problem(.unauthenticated) }
        // One moment for both numbers, so that a requested number that comes into force now is one of them.
        let moment = service.phoneTime(of: account, at: time)
        return AccountAnswer(
            account: id, phone: try service.open(account.sealedPhone(at: moment), as: .phone, of: id),
            comingPhone: try service.comingPhone(of: account, at: moment).map { ComingPhoneAnswer(number: $0.number, holdsAt: $0.holdsAt) },
            profile: try service.profile(of: account), shop: shop?.id, isOperator: service.isOperator(account),
            hasPassword: account.password != nil, version: account.version)
    }

    func dropSessions(endedBy acceptance: Acceptance) { gate.end(sessionsEndedBy: acceptance) }

    /// An accepted command lacks its event, which is a defect of the program.
    static func missingFact(_ acceptance: Acceptance) -> Problem {
        Problem(.internal, internalDetail: "no such event among those accepted up to \(acceptance.position)")
    }
}
