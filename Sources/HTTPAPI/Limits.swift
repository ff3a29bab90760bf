import CommandService
import Loyalty
import LoyaltyCodec
import ReadModels

/// The bounds of the HTTP API, each with its unit and reason.
enum Limits {
    // MARK: Requests

    /// Bytes of a request's body, except a picture. The longest valid texts have 2,000 characters, 8 kB in UTF-8.
    static let bodyBytesMax = 65_536
    /// The maximum number of invalid fields that an answer names, which keeps it below 8 KiB.
    static let fieldErrorsMax = 32
    /// Bytes of a form sent without scripts: a language and the address of the page to return to.
    static let formBytesMax = 20_480
    static let formFieldsMax = 64
    static let idempotencyKeyCharacters = 1...255
    /// Seconds for which a request waits for an earlier one with its idempotency key.
    static let sameKeyWaitSeconds: Int64 = 10
    /// Requests that may wait for an earlier one with their idempotency key, in all and of one account. Each holds its connection; an
    /// upload, also its bytes.
    static let (sameKeyWaitingMax, sameKeyWaitingPerAccountMax) = (1_024, 32)
    /// The newest campaigns counted to find the one with the most stamps, which the what-if form shows first, and the stamps counted of
    /// each.
    static let (whatIfCampaignsCounted, whatIfStampsCounted) = (20, 1_000)
    /// Ten years, in seconds. A later end of a campaign is not printed on paper cards.
    static let printedEndSecondsMax: Int64 = 10 * 366 * 86_400
    /// Seconds for which an answer to a sign-in, or to a refresh with an idempotency key or by cookie, is kept: as long as a sign-in code
    /// is valid.
    static let sessionAnswerSeconds: Int64 = 300
    /// Seconds for which a refresh token in a body gets the same answer, because two tabs may refresh at once.
    static let refreshGraceSeconds: Int64 = 10
    /// Answers that one ``SessionAnswers`` keeps, about 1 kB each.
    static let sessionAnswersMax = 8_192
    /// Such answers for one phone number or session.
    static let sessionAnswersPerHolderMax = 4
    /// Customers whose handles and nicknames one page of a search looks at: each costs the reading of an account.
    static let customersSearched = 200
    /// The cards and days that a list of customers shows of each.
    static let (customerCards, customerVisits) = (10, 5)
    /// Entries of a feed: each costs the reading of a campaign or notice.
    static let feedEntries = 50
    /// The date of a feed around a place in which nothing has happened yet: 1 January 2026.
    static let feedsSince = Instant(microseconds: 1_767_225_600_000_000)
    static let searchName = TextLimit(scalars: 1...100)
    /// New campaigns that a saved search counts.
    static let newsCounted = 100
    /// Visited rows after which a list of saved searches counts no more: four searches of the most expensive kind, some tens of
    /// milliseconds.
    static let newsRowsMax = 49_152
    static let reviewText = TextLimit(scalars: 1...2_000, allowsLines: true)
    static let noticeTitle = TextLimit(scalars: 1...100)
    static let noticeText = TextLimit(scalars: 1...2_000, allowsLines: true)
    static let feedbackText = TextLimit(scalars: 1...2_000, allowsLines: true)
    static let nickname = TextLimit(scalars: 1...50)
    static let city = TextLimit(scalars: 1...100)
    /// 1 January 1900: no living person was born before.
    static let birthdayMin = CalendarDay(of: Instant(microseconds: -2_208_988_800_000_000))
    /// Fourteen hours: the earliest time zone is ahead of UTC by this.
    static let dayLeadSeconds: Int64 = 14 * 3_600
    /// NIST SP 800-63B: at least eight characters, no composition rules.
    static let password = TextLimit(scalars: 8...128, isName: false)
    /// Bytes of an `Authorization` header; a longer one is refused unread.
    static let authorizationBytesMax = 1_024
    /// Seconds after which an idle connection is closed: longer than proxies keep one.
    static let idleSeconds: Int64 = 75
    /// Seconds in which a request, except a picture, must arrive, and in which a client must make room in the full buffer of its answer.
    static let patienceSeconds: Int64 = 150
    /// Seconds in which a client must read a connection's last answer.
    static let lingerSeconds: Int64 = 5

    /// Seconds for which an unanswered request keeps the stopping service alive: half of `TimeoutStopSec` in `Tools/deploy`. The rest is
    /// for sending traces and closing the log.
    static let stoppingSeconds: Int64 = 15

    /// Bytes of one header with its name.
    static let headerFieldBytesMax = 16_384
    static let headerBytesMax = 32_768
    static let headerFieldsMax = 100

    // MARK: Readiness

    /// Percent of descriptors in use at which an operator is warned.
    static let descriptorsWarningPercent = 80
    /// Seconds by which the clock may be set back without a warning.
    static let clockLeadWarningSeconds = 2.0
    /// Seconds by which the clock may be set ahead without a warning.
    static let clockGainWarningSeconds = 3_600.0
    /// Seconds without a pass of the scheduler, which usually runs within seconds.
    static let schedulerSilentWarningSeconds = 60.0
    /// Seconds without an answer of the server that this one follows; one answer may wait for five.
    static let leaderSilentWarningSeconds = 15.0
    /// Seconds without an answer of the cluster's etcd, which loses a leader for two or three.
    static let engineSilentWarningSeconds = CommandService.Limits.staleSecondsMax
    /// The used share of the room in etcd at which an operator is warned.
    static let usedShareWarning = 0.5
    /// Two weeks, in seconds: by then the renewal of a short-lived certificate is late.
    static let certificateWarningSeconds: Int64 = 14 * 86_400

    // MARK: Connections

    /// Carriers put thousands of phones behind one address, some hundreds of them active.
    static let connectionsPerAddressMax = 1_024
    /// 600 connections at once, for a hundred browsers' first visits, then thirteen a second: idle for ``idleSeconds``, these add up to
    /// nearly ``connectionsPerAddressMax``.
    static let connectionsOpened = Allowance(600, perSeconds: 45)
    /// Unanswered requests of one connection. Hundreds at once would occupy an event loop for milliseconds.
    static let unansweredMax = 16
    /// Rates of an IPv6 /48 as a multiple of one address's: one customer may have all its 65,536 /64 networks. IPv4 networks have no rate
    /// of their own, because a /24 may be a carrier's.
    static let networkRateFactor = 4
    static let connectionsPerNetworkMax = 4_096
    /// The fewest addresses that use up all connections: bounds ``connectionsPerAddressMax`` if the total is small.
    static let addressesToFillMin = 8
    /// The fewest networks that use up all connections: bounds ``connectionsPerNetworkMax`` if the total is small.
    static let networksToFillMin = 4
    /// Milliseconds for which the listening socket pauses when no descriptor or memory is free.
    static let acceptRestMilliseconds: Int64 = 250
    /// Seconds between two log lines of one kind.
    static let connectionLineSeconds: Int64 = 10
    /// Seconds for which a body may arrive at any rate, enough for a few kilobytes over the worst mobile connection.
    static let bodyGraceSeconds: Int64 = 10
    /// Seconds in which a picture must arrive: the largest at 14 kB/s.
    static let picturePatienceSeconds: Int64 = 600
    /// Bytes a second, over the last ``bodyGraceSeconds``, at which a body must arrive.
    static let bodyBytesPerSecondMin = 4_096
    /// Bytes a second at which a body must arrive while others find no room: the largest picture then takes two minutes.
    static let contestedBytesPerSecondMin = 65_536
    /// The most time that such a body may stall: much shorter than ``bodyGraceSeconds``, or bodies that stall repeatedly would seldom be
    /// late.
    static let contestedWindowMicroseconds: Int64 = 2_000_000
    /// Bytes of an answer written at once. After each piece, the server sees whether the client still reads.
    static let answerPieceBytes = 65_536
    /// Bytes of a connection's bodies that no pool counts, enough for nearly every honest request: 64 MiB over all connections.
    static let bodyBytesFree = 4_096
    /// Bytes of all bodies, except pictures, in memory.
    static let bodiesBytesMax = 32 << 20
    /// Bytes of all received pictures in memory: twenty of the largest.
    static let picturesBytesMax = 160 << 20

    // MARK: Lists

    static let pageItems = 1...100
    static let pageItemsDefault = 20
    /// Events that one page of the log's list examines for a type without a tag: about a tenth of a second.
    static let eventsWalkedMax: UInt64 = 100_000
    /// The time for which a list reads before other requests have their turn.
    static let turn = Duration.milliseconds(2)

    // MARK: Web pages

    /// Other shops' campaigns in the answer about a shop: as many as it may have of its own.
    static let sharedCampaignsShownMax = 100
    /// Pages in each of the cache's two generations: 32 MiB at most.
    static let renderedPagesMax = 256
    /// Bytes of a page that is kept.
    static let renderedPageBytesMax = 65_536
    /// Addresses in a site map, newest first.
    static let siteMapItemsMax = 1_000
    /// Rows of the search model visited for one site map, in some tens of milliseconds.
    static let siteMapLooksMax = 16_384
    static let siteMapSeconds: Int64 = 60
    static let renderedAddressBytesMax = 512

    // MARK: Proofs of the log

    static let checkpointSecondsMax = 2

    // MARK: Pictures

    /// Seconds for which any cache may keep a shop's picture, also after it was taken down.
    static let publicImageSeconds = 86_400
    /// Seconds for which a viewer's own cache may keep any other picture, which may show a person.
    static let privateImageSeconds = 300
    /// Pictures' files open while they are sent. Slow readers could otherwise hold the descriptors that are reserved for the service's own
    /// files.
    static let pictureFilesOpenMax = DescriptorNeeds.reserved / 4
    /// Such files for one address.
    static let pictureFilesOpenPerAddressMax = pictureFilesOpenMax / 4

    // MARK: Waiting for read models

    /// Seconds for which a read waits until its read models have reached the position that it names.
    static let minPositionSecondsMax = 2.0
    /// Events by which a read model may lag while the service counts as ready: seconds of work at the slowest measured rate.
    static let readyLagEventsMax: UInt64 = 10_000

    // MARK: Statistics

    static let reportDaysMax = 367
    static let reportDaysDefault = 30

    /// Days of a report about customers and cards, and days after which it calls a card idle.
    static let analyticsDaysMax = ReadModelLimits.journeyDaysMax
    static let analyticsDaysDefault = 182

    // MARK: Other nodes

    /// `Retry-After` if the writer gives no answer.
    static let writerRetrySeconds: Int64 = 2
    /// Seconds for which a request waits for a writer. Usually another node writes after two or three.
    static let writerAwaitedSeconds: Int64 = 5
    /// Seconds between two tries of a writer that does not write.
    static let writerTriedSeconds = 0.25
    /// Seconds that another node has for a read which this one must not answer, before the next node is asked.
    static let newerAnswerSeconds = 5.0
    /// Seconds after which a waiting request's client is looked for again.
    static let clientLookSeconds = 1.0
    /// Clients' requests that wait for the writer, in all and of one account. Each holds its connection and its body.
    static let (forwardedMax, forwardedPerAccountMax) = (1_024, 48)
    /// Such requests that the writer answers slowly. The rest of `NodeClient.connectionsMax` is for stamps.
    static let (forwardedSlowlyMax, forwardedSlowlyPerAccountMax) = (48, 2)
    /// Room for the headers that this node adds to a forwarded request, in bytes and fields: the writer has the same limits.
    static let (forwardedHeaderBytes, forwardedHeaderFields) = (1_024, 4)
    /// Seconds for which a browser's next requests see its last write on every node.
    static let positionCookieSeconds: Int64 = 300
    /// Bytes that nodes send for themselves, in memory: four of the largest files.
    static let nodeBodiesBytesMax = 64 << 20
    /// Seconds for which an answer waits until this node has the events that it names.
    static let forwardedCatchUpSeconds = 2.0
    /// Requests of nodes that are answered at once. A node has three: for events, keys and pictures.
    static let nodeRequestsMax = 64
    /// Seconds for which a node's request waits for an event.
    static let nodeWaitSeconds = 5.0

    // MARK: What-if questions

    /// Questions that may wait while one is answered.
    static let whatIfWaitingMax = 64
    /// `Retry-After` if that queue is full.
    static let whatIfRetrySeconds: Int64 = 10
    /// Events that one question may read: half a minute of one core and some hundred megabytes.
    static let whatIfEventsMax = 2_000_000
    /// Seconds without a request for progress after which the asker counts as gone. A phone in a pocket pauses the page.
    static let whatIfPatienceSeconds: Int64 = 60
    /// Seconds for which an answer is kept after its last request.
    static let whatIfKeptSeconds: Int64 = 600
    /// Answers that are kept, a few kilobytes each, plus twelve bytes for each customer who would gain or lose.
    static let whatIfKeptMax = 128
    static let whatIfKeptPerAccountMax = 4

    // MARK: Live streams

    static let liveRetryMilliseconds = 3_000
    /// `Retry-After` if an account or the service has too many streams.
    static let liveRetrySeconds: Int64 = 30

    // MARK: Access tokens, and limits on accounts

    /// Short, because a cached token is not checked against the log.
    static let accessTokenSeconds: Int64 = 15 * 60
    /// Seconds for which one key signs access tokens.
    static let tokenKeySeconds: Int64 = 30 * 86_400
    /// Refreshes of a session in ten minutes.
    static let refreshesMax = 60
    static let badgeSeconds: Int64 = 120
    static let mutesShownMax = 1_000
    /// Characters of a badge's code.
    static let badgeCharactersMax = 64
    /// `picturesBytesMax` bounds their memory.
    static let imagesReceivedMax = 256
    /// `Retry-After` if a slot, or memory for a body or a sheet, is missing.
    static let slotRetrySeconds: Int64 = 2
    /// Seconds by which a token's time of issue may be ahead, because the clock may have been set back since.
    static let accessTokenLeadSecondsMax: Int64 = 60
    /// Verified tokens in each of the cache's two generations, about 500 bytes each.
    static let cachedTokensMax = 32_768
    /// Ended sessions remembered, usually until their last token has expired.
    static let endedSessionsMax = 65_536

    /// Sessions in each of the cache's two generations, 300 bytes each.
    static let sightedSessionsMax = 32_768
    /// Characters kept of a `User-Agent`.
    static let deviceCharactersMax = 200

    // MARK: Budgets

    /// Failures, such as wrong codes, after which an account, a phone number or an address must wait, unless a limit below is more
    /// specific.
    static let failuresMax = 10
    /// Redemption codes for one card in ``failureWindowSeconds``.
    static let redemptionRequestsMax = 10
    /// Ten minutes, also for most other budgets.
    static let failureWindowSeconds: Int64 = 600
    /// Wrong passwords from one address in ``failureWindowSeconds``: more than for one number, since a household shares an address.
    static let failuresPerAddressMax = 30
    /// Wrong passwords for one number in ``failureWindowSeconds``, over all networks where its holder did not sign in recently.
    static let wrongPasswordsPerPhoneMax = 50
    /// Passwords hashed for one address, right or wrong.
    static let hashesPerAddress = Allowance(40, perSeconds: 600)
    static let hashesPerNetwork = Allowance(hashesPerAddress.burst * networkRateFactor, perSeconds: hashesPerAddress.periodSeconds)
    /// Passwords hashed for one holder, as ten wrong changes of a password need: at most a third of ``hashesOfHolders`` at once.
    static let hashesPerHolder = Allowance(failuresMax * hashesOfPasswordChange, perSeconds: failureWindowSeconds)
    /// Passwords hashed for all holders on networks where they signed in recently. With ``hashesOfStrangers``, less than one thread can
    /// hash.
    static let hashesOfHolders = Allowance(60, perSeconds: 60)
    /// Passwords hashed for senders on all other networks: in the long run an eighth of a core.
    static let hashesOfStrangers = Allowance(60, perSeconds: 120)
    static let hashesOfPasswordChange = 2
    static let messageRetrySeconds: Int64 = 10
    static let imagesReceivedPerAccountMax = 2
    /// Sheets of paper cards that wait or are drawn, one at a time, in a second each.
    static let sheetsAtOnceMax = 64
    /// One for each account: each export holds a page of events in memory.
    static let exportsAtOnceMax = 64
    /// Bytes a second that an export's client must read; a slower export is cut off once another one needs its slot.
    static let exportBytesPerSecondMin = 16_384
    static let reportsAtOnceMax = 64
    /// A report may hold hundreds of megabytes.
    static let reportsBegunMax = 2
    /// Requests that wait for reports on a single shop, made one at a time in up to two seconds.
    static let shopReportsAtOnceMax = 128
    /// A page of numbers sends two at once, and one for each campaign chosen.
    static let shopReportsPerAccountMax = 4
    static let exportPageEvents = 64
    static let exportPieceBytes = 16_384
    /// Keys of one budget in each of its cache's two generations, about 200 bytes each.
    static let budgetedKeysMax = 32_768
}
