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

/// The parts of the service that routes share. The type is a structure and not a class because of a fault of Swift 6.3.1: with a class, the
/// handler of a stamp jumped to address 0 in release builds.
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
    /// The text messages with codes. They are limited, except in development without a sender of messages.
    let codeMessages: CodeMessages
    /// The queue in which all reports are made.
    let reports = ReportQueue()
    /// Lets uploads of pictures, and changes of a password or a phone number, also those by operators, with one idempotency key run one
    /// after another.
    let turns: RequestTurns
    /// Ensures that the warning about `X-Forwarded-For` from a proxy that is not configured is logged only once.
    let proxyWarning = FirstTime()

    init(service: GreenTea, configuration: API.Configuration) throws {
        self.service = service
        self.configuration = configuration
        address = PublicAddress(configuration.publicURL)
        signing = try Signing(seed: service.keys.tokenSigningSeed)
        pages = OwnPages(address: address)
        gate = Gate(service: service, tokens: signing.tokens, pages: pages, rates: configuration.requestRates)
        budgets = Budgets(clock: service.clock)
        slots = .init(clock: service.clock)
        kept = KeptAnswers(of: service)
        codeMessages = CodeMessages(of: service.verifications, caps: configuration.messageLimits.map { MessageCaps($0) })
        turns = RequestTurns(clock: service.clock)
    }

    /// The address with which links begin, also the links in QR codes, without a slash at the end.
    var publicURL: String { address.text }

    /// Whether links begin with a loopback address, so that on each machine they lead to that machine itself.
    var isAtLoopback: Bool { address.isLoopback }

    /// Sets the address at which people reach the service.
    func reached(at url: String) { address.change(to: url) }

    var now: Instant { service.clock.now() }

    /// The steady clock's time, for rates and timeouts.
    var steadyNow: Instant { service.clock.steady() }
}

/// The answers that are kept, so that they need not be made again.
struct KeptAnswers: Sendable {
    /// The rendered public pages.
    let pages = RenderedPages()
    /// The addresses in site maps.
    let siteMaps = SiteMaps()
    /// Recent answers to sign-ins and refreshes, found by idempotency key.
    let sessions: SessionAnswers
    /// Recent answers to refreshes, found by the refresh token that the request used up.
    let refreshes: SessionAnswers
    /// The jobs for what-if questions that wait, are being answered, or were answered recently.
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
    /// An answer to a write does not wait for read models, so the same account's next read waits for them. The server remembers the
    /// position of the write only in memory. After a restart, at another server, or after another account's write, the client must name
    /// the position itself.
    ///
    /// - Parameters:
    ///   - account: the reading account; nil for an anonymous reader, or if the answer comes from the log, which has every write.
    ///   - models: the names of the read models that the answer comes from; none if it comes from the log alone.
    /// - Throws: `notCaughtUp` after a timeout, `invalidRequest` for a text that is not a position.
    func awaitPosition(of request: Request, by account: AccountID? = nil, in models: String...) async throws {
        let named = try Self.minPosition(of: request)
        let own = account.flatMap { service.ownWrites.lastPosition(of: $0) }
        guard let position = [named, own].compactMap(\.self).max() else { return }
        guard try await isReached(position, in: Set(models)) else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
    }

    /// Waits until read models have processed the log's present head.
    ///
    /// - Throws: `notCaughtUp` after a timeout.
    func awaitHead(in models: String...) async throws {
        guard try await isReached(service.log.head, in: Set(models)) else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
    }

    private func isReached(_ position: Position, in models: Set<String>) async throws -> Bool {
        let seconds = Limits.minPositionSecondsMax
        if models.isEmpty { return try await service.log.headSignal.reached(position, timeoutSeconds: seconds) }
        return await service.models.reached(position, timeoutSeconds: seconds, in: models)
    }

    private static func minPosition(of request: Request) throws -> Position? {
        guard let text = request.headers.text(of: .greenTeaMinPosition) else { return nil }
        guard text.utf8.allSatisfy({ (0x30...0x39).contains($0) }), let position = UInt64(text) else {
            throw Problem.invalid("", .headerPosition("GreenTea-Min-Position"))
        }
        return Position(position)
    }
}

/// Answers that several routes need.
extension Resources {
    /// Reads a shop, a campaign or another entity from the log, in its present state or in its state at a position.
    ///
    /// - Throws: `notFound` if the log has no such thing.
    func existing<Value>(
        through position: Position? = nil, _ find: (LogPast<EventLog>) throws -> Value?
    ) throws -> Value {
        guard let value = try service.reading(through: position, find) else { throw Problem(.notFound) }
        return value
    }

    /// A shop with its contact data decrypted, now or in its state at a position.
    func shop(_ id: ShopID, through position: Position? = nil) throws -> Shop {
        try service.opened(try existing(through: position) { try $0.shop(id) })
    }

    /// The answer to a write by one of a campaign's managers: the campaign in its state right after the write. A retry gets the same
    /// answer.
    func campaignAnswer(_ id: CampaignID, at acceptance: Acceptance, by sender: RequestSender) throws -> CampaignAnswer {
        let campaign = try existing(through: acceptance.position) { try $0.campaign(id) }
        let known = knownShops(through: acceptance.position)
        let shop = try known.shop(campaign.shop)
        return CampaignAnswer(
            campaign: try service.opened(campaign, of: shop), shop: shop,
            shops: try known.named(by: campaign), now: time(of: acceptance, by: sender),
            standing: try standing(of: id, at: acceptance))
    }

    /// The favourite count of a campaign right after a write, so that a retry of the write gets the same answer.
    ///
    /// The number is computed from the log. The read model only saves work: the events that it has processed are not counted again.
    func standing(of campaign: CampaignID, at acceptance: Acceptance) throws -> Standing {
        let counted = (try? service.discovery.favoriteCount(of: campaign, through: acceptance.position)) ?? nil
        let since = try service.reading(through: acceptance.position) {
            try $0.favoriteCount(of: campaign, after: counted?.through ?? .start)
        }
        return Standing(favorites: (counted?.favorites ?? 0) + since, isFavorite: nil)
    }

    /// The message in an event of feedback to the operator; `nil` for an event of another type.
    func feedbackAnswer(_ fact: Fact) throws -> FeedbackItemAnswer? {
        guard case .feedbackGiven(let event) = fact.event else { return nil }
        return FeedbackItemAnswer(
            author: event.author, text: try text(event.text, as: .feedbackText, of: event.author), at: fact.time, position: fact.position)
    }

    /// A decrypted text; `nil` if there is no text, or if its author was erased.
    func text(_ sealed: Sealed?, as field: SealedField, of author: AccountID) throws -> String? {
        guard let sealed else { return nil }
        return try service.open(sealed, as: field, of: author)
    }

    /// An account as its owner sees it, now or in its state at a position.
    ///
    /// - Parameter time: the moment for which the phone number is shown, since a change of number takes effect later. An answer to a write
    ///   passes the write's time, so that a retry gets the same answer.
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

    /// Makes the gate refuse the tokens of the sessions that a command has ended.
    func dropSessions(endedBy acceptance: Acceptance) { gate.end(sessionsEndedBy: acceptance) }

    /// The problem for a defect of the program: an accepted command lacks the event that it always adds.
    static func missingFact(_ acceptance: Acceptance) -> Problem {
        Problem(.internal, internalDetail: "no such event among those accepted up to \(acceptance.position)")
    }
}
