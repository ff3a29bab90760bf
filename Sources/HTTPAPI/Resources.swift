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

/// The parts that routes share. It is a structure because of a fault of Swift 6.3.1: with a class, the release code of a stamp's handler
/// jumped to address 0.
struct Resources: Sendable {
    let service: GreenTea
    let configuration: API.Configuration
    private let address: PublicAddress
    let tokens: TokenSigner
    let gate: Gate
    let pages: OwnPages
    let cursors: CursorSeal
    let badges: BadgeSeal
    /// Wrong stamp codes, and wrong codes of paper cards, of each account.
    let stampBudget: FailureBudget<AccountID>
    /// Wrong redemption codes of each account.
    let redemptionBudget: FailureBudget<AccountID>
    /// Requests for redemption codes of each card: each request adds an event to the card's history.
    let redemptionRequestBudget: FailureBudget<CardID>
    /// Limits of text messages; nil if none are sent.
    let messageCaps: MessageCaps?
    /// Sign-in requests for each phone that repeat an idempotency key with other content. Each may be a guess at the code or password of
    /// the key's first request.
    let keyGuessBudget: FailureBudget<E164Number>
    /// Messages of feedback by each account.
    let feedbackBudget: FailureBudget<AccountID>
    /// Pictures uploaded and taken down by each account.
    let imageBudget: FailureBudget<AccountID>
    /// Photos of codes sent by each account.
    let scanBudget: FailureBudget<AccountID>
    /// Wrong passwords at sign-in, and hashes of passwords.
    let passwordBudget: PasswordBudget
    /// Wrong passwords and codes in each account's changes of its password.
    let passwordChangeBudget: FailureBudget<AccountID>
    /// Exports by each account.
    let exportBudget: FailureBudget<AccountID>
    /// Accepted refreshes of each session.
    let refreshBudget: FailureBudget<SessionID>
    /// Replies by each account.
    let replyBudget: FailureBudget<AccountID>
    /// Reviews by each account.
    let reviewBudget: FailureBudget<AccountID>
    /// Notices by each account.
    let noticeBudget: FailureBudget<AccountID>
    /// Changes of each account's favourites.
    let favoriteBudget: FailureBudget<AccountID>
    /// Edits of each account's profile.
    let profileBudget: FailureBudget<AccountID>
    /// Offers of work at a shop, and offers of a whole shop, made by each account.
    let invitationBudget: FailureBudget<AccountID>
    /// Phone numbers, unknown to the service, to which each member of staff gave stamps.
    let strangerStampBudget: FailureBudget<AccountID>
    /// Gifts of stamps to phone numbers by each member of staff.
    let numberStampBudget: FailureBudget<AccountID>
    /// Strips of codes issued, and paper cards printed, by each member of staff.
    let stripBudget: FailureBudget<AccountID>
    /// Sheets of paper cards drawn for each member of staff.
    let sheetBudget: FailureBudget<AccountID>
    /// Changes of each account's phone number, and wrong codes for such changes.
    let phoneBudget: FailureBudget<AccountID>
    /// Each operator's searches for accounts, and changes of accounts' phone numbers.
    let operatorBudget: FailureBudget<AccountID>
    /// Each account's mutes, and ends of mutes.
    let muteBudget: FailureBudget<AccountID>
    /// The what-if questions that each account has asked.
    let whatIfBudget: FailureBudget<AccountID>
    /// Requests for receipts of erasures that found none, by IPv4 address or IPv6 /48.
    let erasureBudget: FailureBudget<ClientAddress>
    /// The what-if questions that wait, are being answered, or were answered lately.
    let whatIfs: WhatIfJobs
    /// Public pages as they were last rendered.
    let renderedPages = RenderedPages()
    /// The addresses in site maps.
    let siteMaps = SiteMaps()
    /// Pictures that are being received.
    let imageSlots = Slots<AccountID>(Limits.imagesReceivedMax, perKey: Limits.imagesReceivedPerAccountMax)
    /// Sheets of paper cards that are being drawn, or wait to be drawn.
    let sheetSlots = Slots<AccountID>(Limits.sheetsAtOnceMax, perKey: 1)
    /// Exports that are being written.
    let exportSlots = Slots<AccountID>(Limits.exportsAtOnceMax, perKey: 1)
    /// Searches whose answers are being made.
    let searchSlots = Slots<ClientAddress>(Limits.searchesAtOnceMax, perKey: Limits.searchesPerAddressMax)
    /// Recent answers to sign-ins and refreshes, found by idempotency key.
    let sessionAnswers: SessionAnswers
    /// Recent answers to refreshes, found by the token that was spent.
    let refreshAnswers: SessionAnswers

    /// Whether the log already has the warning about a forwarding header from an untrusted proxy.
    let proxyWarning = FirstTime()

    init(service: GreenTea, configuration: API.Configuration) throws {
        self.service = service
        self.configuration = configuration
        address = PublicAddress(configuration.publicURL)
        let seed = service.keys.tokenSigningSeed
        tokens = try TokenSigner(seed: seed)
        pages = OwnPages(address: address)
        gate = Gate(service: service, tokens: tokens, pages: pages, rate: configuration.requestRates?.account)
        cursors = CursorSeal(seed: seed)
        badges = BadgeSeal(seed: seed)
        stampBudget = FailureBudget(clock: service.clock)
        erasureBudget = FailureBudget(clock: service.clock)
        redemptionBudget = FailureBudget(clock: service.clock)
        redemptionRequestBudget = FailureBudget(clock: service.clock, failuresMax: Limits.redemptionRequestsMax)
        messageCaps = configuration.messageLimits.map { MessageCaps($0) }
        keyGuessBudget = FailureBudget(clock: service.clock)
        feedbackBudget = FailureBudget(clock: service.clock)
        imageBudget = FailureBudget(clock: service.clock, failuresMax: Limits.imagesMax)
        scanBudget = FailureBudget(clock: service.clock, failuresMax: Limits.scansMax)
        passwordBudget = PasswordBudget(clock: service.clock)
        passwordChangeBudget = FailureBudget(clock: service.clock)
        exportBudget = FailureBudget(clock: service.clock, failuresMax: Limits.exportsMax)
        refreshBudget = FailureBudget(clock: service.clock, failuresMax: Limits.refreshesMax)
        replyBudget = FailureBudget(clock: service.clock, failuresMax: Limits.repliesMax)
        reviewBudget = FailureBudget(clock: service.clock, failuresMax: Limits.reviewsMax)
        noticeBudget = FailureBudget(clock: service.clock, failuresMax: Limits.noticesMax)
        favoriteBudget = FailureBudget(clock: service.clock, failuresMax: Limits.favoriteChangesMax)
        profileBudget = FailureBudget(clock: service.clock, failuresMax: Limits.profileEditsMax)
        invitationBudget = FailureBudget(
            clock: service.clock, failuresMax: Limits.invitationsMax, windowSeconds: Limits.invitationWindowSeconds)
        stripBudget = FailureBudget(clock: service.clock, failuresMax: Limits.stripsMax)
        sheetBudget = FailureBudget(clock: service.clock, failuresMax: Limits.sheetsMax)
        numberStampBudget = FailureBudget(clock: service.clock, failuresMax: Limits.numberStampsMax)
        strangerStampBudget = FailureBudget(
            clock: service.clock, failuresMax: Limits.strangerStampsMax, windowSeconds: Limits.invitationWindowSeconds)
        phoneBudget = FailureBudget(clock: service.clock, windowSeconds: Limits.invitationWindowSeconds)
        operatorBudget = FailureBudget(clock: service.clock, failuresMax: Limits.operatorActsMax)
        muteBudget = FailureBudget(clock: service.clock, failuresMax: Limits.muteChangesMax)
        whatIfBudget = FailureBudget(clock: service.clock, failuresMax: Limits.whatIfsMax)
        whatIfs = WhatIfJobs(reading: service.log, clock: service.clock)
        service.atClosing { [whatIfs] in whatIfs.stop() }
        sessionAnswers = SessionAnswers(clock: service.clock, seconds: Limits.sessionAnswerSeconds)
        refreshAnswers = SessionAnswers(clock: service.clock, seconds: Limits.refreshGraceSeconds)
    }

    /// The address with which links begin, also the links in QR codes, without a slash at the end.
    var publicURL: String { address.text }

    /// Whether links begin with a loopback address, so that on each machine they lead to that machine itself.
    var isAtLoopback: Bool { address.isLoopback }

    /// Sets the address at which people reach the service.
    func reached(at url: String) { address.change(to: url) }

    var now: Instant { service.clock.now() }

    /// The steady clock's time, for timeouts.
    var steadyNow: Instant { service.clock.steady() }
}

extension Resources {
    /// Waits until an answer can show the account's own last write, and the position that the client names.
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

    /// Waits until a read model has processed the log's present head.
    ///
    /// - Throws: `notCaughtUp` after a timeout.
    func awaitHead(in model: String) async throws {
        guard try await isReached(service.log.head, in: [model]) else { throw Problem(.notCaughtUp, retryAfterSeconds: 1) }
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
    /// Reads a thing from the log, in its present state or as of a position.
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

    /// A campaign in its state right after a write by one of its managers, for the answer. A retry gets the same answer.
    func campaignAnswer(_ id: CampaignID, at acceptance: Acceptance) throws -> CampaignAnswer {
        let campaign = try existing(through: acceptance.position) { try $0.campaign(id) }
        let known = knownShops(through: acceptance.position)
        let shop = try known.shop(campaign.shop)
        let time = acceptance.facts.last?.time ?? now
        return CampaignAnswer(
            campaign: try service.opened(campaign, of: shop), shop: shop,
            shops: try known.named(by: campaign), now: time,
            standing: try standing(of: id, at: acceptance))
    }

    /// The number of accounts that had a campaign among their favourites at an edit, so that a retry of the edit gets the same answer.
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
        return AccountAnswer(
            account: id, phone: try service.open(account.sealedPhone(at: time), as: .phone, of: id),
            comingPhone: try service.comingPhone(of: account, at: time).map { ComingPhoneAnswer(number: $0.number, holdsAt: $0.holdsAt) },
            profile: try service.profile(of: account), shop: shop?.id, isOperator: service.isOperator(account),
            hasPassword: account.password != nil, version: account.version)
    }

    /// Forgets the access tokens of sessions that have just ended.
    func dropSessions(endedBy acceptance: Acceptance) {
        for case .sessionEnded(let event) in acceptance.facts.lazy.map(\.event) { gate.end(event.session) }
    }

    /// The problem for a defect of the program: an accepted command lacks the event that it always adds.
    static func missingFact(_ acceptance: Acceptance) -> Problem {
        Problem(.internal, internalDetail: "no such event among those accepted up to \(acceptance.position)")
    }
}
