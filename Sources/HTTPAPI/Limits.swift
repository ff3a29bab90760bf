import CommandService
import Loyalty
import LoyaltyCodec
import ReadModels

/// The bounds of the HTTP API, each with its unit and reason.
enum Limits {
    // MARK: Requests

    /// The maximum number of bytes of a request's body, except a picture. Valid bodies are much shorter: their longest texts, such as a
    /// review, have 2,000 characters, which are 8 kB in UTF-8.
    static let bodyBytesMax = 65_536
    /// The maximum number of invalid fields that one answer names. More names would not help the client, and the answer stays below 8 KiB.
    static let fieldErrorsMax = 32
    /// The maximum number of bytes of a form that is sent without scripts. The longest valid form holds a language and the address of the
    /// page to return to.
    static let formBytesMax = 20_480
    /// The maximum number of fields of a form that is sent without scripts.
    static let formFieldsMax = 64
    /// The numbers of characters that an idempotency key may have.
    static let idempotencyKeyCharacters = 1...255
    /// Seconds for which a request waits until an earlier one with its idempotency key has ended. Clients wait longer for an answer.
    static let sameKeyWaitSeconds: Int64 = 10
    /// The number of requests that may wait for an earlier one with their idempotency key, of all accounts and of one account. Each holds
    /// only its own connection; an upload, also its bytes.
    static let (sameKeyWaitingMax, sameKeyWaitingPerAccountMax) = (1_024, 32)
    /// The form of what-if questions first shows the campaign that has the most stamps. To find it, this many of the newest campaigns, and
    /// at most this many stamps of each, are counted.
    static let (whatIfCampaignsCounted, whatIfStampsCounted) = (20, 1_000)
    /// The longest time, in seconds, until a campaign's end that is printed on paper cards: ten years. A later end is not printed.
    static let printedEndSecondsMax: Int64 = 10 * 366 * 86_400
    /// Seconds for which the answer to a sign-in, or to a refresh with an idempotency key or by cookie, is kept for retries. A sign-in code
    /// is valid for as long.
    static let sessionAnswerSeconds: Int64 = 300
    /// Seconds for which the same refresh token in a body gets the same answer, under any idempotency key or none. They are needed because
    /// two tabs of one browser may refresh at once, and a request may be retried.
    static let refreshGraceSeconds: Int64 = 10
    /// The number of answers to sign-ins or refreshes that one ``SessionAnswers`` keeps. An answer takes about a kilobyte.
    static let sessionAnswersMax = 8_192
    /// The number of such answers for one phone number or session. A client repeats only its last request.
    static let sessionAnswersPerHolderMax = 4
    /// The text of a review or a reply.
    static let reviewText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A notice's title, which lists show on one line.
    static let noticeTitle = TextLimit(scalars: 1...100)
    /// The text of a notice.
    static let noticeText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A message to the operator.
    static let feedbackText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A person's nickname.
    static let nickname = TextLimit(scalars: 1...50)
    /// The city in a profile.
    static let city = TextLimit(scalars: 1...100)
    /// The earliest birthday, 1 January 1900: no living person was born before.
    static let birthdayMin = CalendarDay(of: Instant(microseconds: -2_208_988_800_000_000))
    /// Seconds by which the earliest time zone is ahead of UTC: fourteen hours.
    static let dayLeadSeconds: Int64 = 14 * 3_600
    /// A password. NIST SP 800-63B asks for at least eight characters and no composition rules. The upper bound is far longer than any
    /// phrase that people remember.
    static let password = TextLimit(scalars: 8...128, isName: false)
    /// The maximum number of bytes of an `Authorization` header. A longer header is refused unread, because our tokens have only about 350
    /// bytes.
    static let authorizationBytesMax = 1_024
    /// Seconds after which a connection is closed if no request begins on it. This is longer than the time for which proxies keep an idle
    /// connection.
    static let idleSeconds: Int64 = 75
    /// Seconds in which a request, except a picture, must arrive completely, and in which a client must make room in a full buffer of its
    /// answer.
    static let patienceSeconds: Int64 = 150
    /// Seconds in which a client must read the last answer of a connection, after it was sent.
    static let lingerSeconds: Int64 = 5

    /// Seconds for which a connection with an unanswered request stays open while the server stops. Without this limit, a client that
    /// reads a long answer slowly could delay the end for hours. It is half of the time after which systemd kills the service
    /// (`TimeoutStopSec` in `Tools/deploy`). The other half suffices for sending the last traces and closing the log.
    static let stoppingSeconds: Int64 = 15

    /// The maximum number of bytes of one header, including its name.
    static let headerFieldBytesMax = 16_384
    /// The maximum number of bytes of all headers of a request together.
    static let headerBytesMax = 32_768
    /// The maximum number of headers of a request.
    static let headerFieldsMax = 100

    // MARK: Readiness

    /// Percent of the descriptors that may be open before an operator should raise the limit.
    static let descriptorsWarningPercent = 80
    /// Seconds by which the clock may be set back before an operator is warned. Time synchronisation sets it back by less than this.
    static let clockLeadWarningSeconds = 2.0
    /// Seconds by which the clock may be set ahead before an operator is warned. Time synchronisation sets it ahead by less than this.
    static let clockGainWarningSeconds = 3_600.0
    /// Seconds without a pass of the scheduler before an operator is warned. A pass follows the one before within seconds.
    static let schedulerSilentWarningSeconds = 60.0
    /// Seconds before a certificate's end at which an operator is warned: two weeks, because by then the renewal of a short-lived
    /// certificate is late.
    static let certificateWarningSeconds: Int64 = 14 * 86_400

    // MARK: Connections

    /// The maximum number of connections from one address. Carriers put thousands of phones behind one address, and some hundreds of these
    /// phones are active.
    static let connectionsPerAddressMax = 1_024
    /// The connections that one address may open: 600 at once, as many as a hundred browsers open on their first visit, and in the long run
    /// thirteen a second. If connections opened at this rate are each idle for ``idleSeconds``, nearly ``connectionsPerAddressMax`` are
    /// open. The limit is needed because accepting a connection takes as long as answering one or two requests.
    static let connectionsOpened = Allowance(600, perSeconds: 45)
    /// The maximum number of unanswered requests of one connection. Browsers and apps wait for each answer. A client that sends hundreds of
    /// requests at once would occupy an event loop for milliseconds, and be answered at the cost of others.
    static let unansweredMax = 16
    /// The rates of an IPv6 /48 for new connections, requests and hashes of passwords, and its number of searches at once, as a multiple of
    /// those of one address. One customer may have all 65,536 /64 networks of a /48. IPv4 networks have no rate of their own, because a
    /// /24 may be a carrier's, with thousands of phones behind each address. Besides, an attacker would pay far more for a whole /24 than
    /// for one address.
    static let networkRateFactor = 4
    /// The maximum number of connections from one IPv6 /48.
    static let connectionsPerNetworkMax = 4_096
    /// The minimum number of addresses that are needed to use up all connections. If the total divided by this number is below
    /// ``connectionsPerAddressMax``, it is the maximum of one address.
    static let addressesToFillMin = 8
    /// The minimum number of networks that are needed to use up all connections. If the total divided by this number is below
    /// ``connectionsPerNetworkMax``, it is the maximum of one network.
    static let networksToFillMin = 4
    /// Milliseconds for which the listening socket pauses when no descriptor or memory is free. A client may wait this long after there is
    /// enough again.
    static let acceptRestMilliseconds: Int64 = 250
    /// Seconds between two log lines of one kind about connections.
    static let connectionLineSeconds: Int64 = 10
    /// Seconds for which a body may arrive at any rate. They suffice for a few kilobytes over the worst mobile connection.
    static let bodyGraceSeconds: Int64 = 10
    /// Seconds in which a picture must arrive completely: enough for the largest picture at 14 kB/s. The minimum rate applies as well.
    static let picturePatienceSeconds: Int64 = 600
    /// The number of bytes a second at which a body must arrive over the last ``bodyGraceSeconds``. So the largest body, except a picture,
    /// arrives within 26 s.
    static let bodyBytesPerSecondMin = 4_096
    /// The number of bytes a second at which a body must arrive while others find no room for theirs: the largest picture then takes two
    /// minutes.
    static let contestedBytesPerSecondMin = 65_536
    /// The most time that such a body may stall. It is much shorter than ``bodyGraceSeconds``, or bodies that stall again and again would
    /// seldom be late.
    static let contestedWindowMicroseconds: Int64 = 2_000_000
    /// Bytes of an answer that are written to its connection at once. After each piece, the server sees whether the client still reads.
    static let answerPieceBytes = 65_536
    /// Bytes of a connection's bodies that are not taken from a pool of `BodyBudget`, enough for nearly every honest request. All
    /// connections together can hold 64 MiB of such bytes.
    static let bodyBytesFree = 4_096
    /// The maximum number of bytes of all bodies, except pictures, in memory at once. Five hundred of the largest bodies have this size.
    /// With intermediate copies the bodies take a little more than twice as much memory.
    static let bodiesBytesMax = 32 << 20
    /// Bytes of pictures that may be in memory at once, received completely or in part: twenty of the largest pictures, or a hundred of
    /// usual size.
    static let picturesBytesMax = 160 << 20

    // MARK: Lists

    /// The numbers of items on one page that a client may request.
    static let pageItems = 1...100
    /// The number of items on one page if the client requests none.
    static let pageItemsDefault = 20
    /// The time for which a list reads items from the log before other requests have their turn. Reading the usual page takes less.
    static let turn = Duration.milliseconds(2)

    // MARK: Web pages

    /// The maximum number of other shops' campaigns in the answer about a shop. A shop may have as many open campaigns of its own.
    static let sharedCampaignsShownMax = 100
    /// The number of rendered pages that are kept in each of the cache's two generations: with ``renderedPageBytesMax``, 32 MiB at most.
    static let renderedPagesMax = 256
    /// The maximum number of bytes of a rendered page that is kept. The home page has about 20,000.
    static let renderedPageBytesMax = 65_536
    /// The maximum number of addresses in a site map. If there are more, only the newest are listed.
    static let siteMapItemsMax = 1_000
    /// The number of rows of the search model that may be visited for one site map. Visiting them takes some tens of milliseconds. If most
    /// of the newest campaigns are over, the site map has fewer addresses. The last page of the search may visit thousands of rows more.
    static let siteMapLooksMax = 16_384
    /// Seconds for which the addresses of a site map are kept.
    static let siteMapSeconds: Int64 = 60
    /// The maximum number of bytes in the address of a rendered page that is kept.
    static let renderedAddressBytesMax = 512

    // MARK: Proofs of the log

    /// Seconds for which a cache may keep a checkpoint. They are few, because a newer checkpoint is signed about once a second.
    static let checkpointSecondsMax = 2

    // MARK: Pictures

    /// Seconds for which any cache may keep a picture that a shop shows. A cache may show the picture for this long after it was taken
    /// down.
    static let publicImageSeconds = 86_400
    /// Seconds for which a viewer's own cache may keep any other picture. The time is short, because the picture may show a person.
    static let privateImageSeconds = 300
    /// The maximum number of pictures' files that stay open while they are sent. Without this limit, clients that read slowly could have as
    /// many files open as connections. The files take their descriptors from those that are reserved for the service's own files.
    static let pictureFilesOpenMax = DescriptorNeeds.reserved / 4
    /// The maximum number of those files for one address.
    static let pictureFilesOpenPerAddressMax = pictureFilesOpenMax / 4

    // MARK: Waiting for read models

    /// The maximum number of seconds for which a read waits until its read models have reached the position that its request names.
    static let minPositionSecondsMax = 2.0
    /// The maximum number of events by which a read model may be behind the log while the service still counts as ready. Even at the
    /// slowest measured rate, the model processes so many events within seconds.
    static let readyLagEventsMax: UInt64 = 10_000

    // MARK: Statistics

    /// The maximum number of days of one statistics report: a leap year and a day.
    static let reportDaysMax = 367
    /// The number of days of a statistics report if the request names none.
    static let reportDaysDefault = 30

    /// The maximum number of days of one report about customers and cards, and of the days after which it calls a card idle.
    static let analyticsDaysMax = ReadModelLimits.journeyDaysMax
    /// The number of days of a report about customers and cards if the request names none: 26 weeks, half a year.
    static let analyticsDaysDefault = 182

    // MARK: What-if questions

    /// The number of what-if questions that may wait while another one is answered.
    static let whatIfWaitingMax = 64
    /// Seconds after which a client should retry if the queue of what-if questions is full.
    static let whatIfRetrySeconds: Int64 = 10
    /// The number of events that one what-if question may read. Reading them takes about half a minute of one core, and some hundred
    /// megabytes.
    static let whatIfEventsMax = 2_000_000
    /// Seconds without a request for a question's progress after which the asking person is assumed to have left. Pages request the
    /// progress every second or two, but a phone in a pocket pauses them.
    static let whatIfPatienceSeconds: Int64 = 60
    /// Seconds for which the answer to a what-if question is kept after the last request for the answer.
    static let whatIfKeptSeconds: Int64 = 600
    /// The maximum number of answers to what-if questions that are kept. Each answer takes a few kilobytes, and twelve bytes for each
    /// customer who would gain or lose by the terms in question.
    static let whatIfKeptMax = 128
    /// The maximum number of such answers of one account, which may compare a few.
    static let whatIfKeptPerAccountMax = 4

    // MARK: Live streams

    /// Milliseconds after which a client reconnects when a stream breaks.
    static let liveRetryMilliseconds = 3_000
    /// Seconds after which a client reconnects if its account, or the service, has too many streams.
    static let liveRetrySeconds: Int64 = 30

    // MARK: Access tokens, and limits on accounts

    /// Seconds for which an access token is valid. The time is short, because a cached token is not checked against the log.
    static let accessTokenSeconds: Int64 = 15 * 60
    /// Seconds for which the same key signs access tokens, before the next one is used.
    static let tokenKeySeconds: Int64 = 30 * 86_400
    /// The maximum number of refreshes of a session in ten minutes. A client needs only one or two, because a token is valid for fifteen
    /// minutes, and each refresh adds a permanent event.
    static let refreshesMax = 60
    /// Seconds for which a badge is valid. They suffice, because the customer shows it at the counter at once.
    static let badgeSeconds: Int64 = 120
    /// The maximum number of muted shops that one answer lists; further ones are on the next page.
    static let mutesShownMax = 1_000
    /// The number of characters of a badge's code.
    static let badgeCharactersMax = 64
    /// The maximum number of pictures that are received at once. `picturesBytesMax` bounds the memory of all of them together.
    static let imagesReceivedMax = 256
    /// Seconds after which a client should retry if no slot for a picture, a sheet, an export or a search is free, or if there is too
    /// little memory for a body or a sheet.
    static let slotRetrySeconds: Int64 = 2
    /// Seconds by which a token's time of issue may be ahead of our clock, because the clock may have been set back since.
    static let accessTokenLeadSecondsMax: Int64 = 60
    /// The number of verified tokens that are kept in each of two generations of the cache. Each token takes about 500 bytes.
    static let cachedTokensMax = 32_768
    /// The maximum number of ended sessions that are remembered. Each is remembered at least until its last token has expired, unless there
    /// are too many.
    static let endedSessionsMax = 65_536

    /// The number of sessions whose last use is remembered, in each of two generations of the cache. Each takes 300 bytes.
    static let sightedSessionsMax = 32_768
    /// The maximum number of characters of a `User-Agent` that are kept. Browsers send up to about 200.
    static let deviceCharactersMax = 200

    // MARK: Budgets

    /// The number of failures, such as wrong codes, after which an account, a phone number or an address must wait. It applies where no
    /// more specific limit is defined here.
    static let failuresMax = 10
    /// Redemption codes that may be requested for one card in ``failureWindowSeconds``. A code is valid for five minutes, so two would do.
    /// The other eight are for phones that lose the page or do not receive an answer.
    static let redemptionRequestsMax = 10
    /// The period in which failures are counted: ten minutes, in seconds. Most other budgets use the same period.
    static let failureWindowSeconds: Int64 = 600
    /// Wrong passwords from one address in ``failureWindowSeconds``. The limit is higher than for one phone number on one network, since a
    /// household or a company shares an address.
    static let failuresPerAddressMax = 30
    /// Wrong passwords for one number in ``failureWindowSeconds``, counted over all networks on which its holder did not sign in recently.
    static let wrongPasswordsPerPhoneMax = 50
    /// The number of passwords, right or wrong, that are hashed for one address. The burst suffices for a crowded household, and hashing it
    /// takes at most a third of a core for half a minute.
    static let hashesPerAddress = Allowance(40, perSeconds: 600)
    /// The number of passwords that are hashed for one IPv6 /48.
    static let hashesPerNetwork = Allowance(hashesPerAddress.burst * networkRateFactor, perSeconds: hashesPerAddress.periodSeconds)
    /// The number of passwords, right or wrong, that are hashed for one account holder: as many as ten wrong changes of a password need. So
    /// one account uses up at most a third of ``hashesOfHolders`` at once, and a thirtieth of them in the long run.
    static let hashesPerHolder = Allowance(failuresMax * hashesOfPasswordChange, perSeconds: failureWindowSeconds)
    /// The number of passwords that are hashed for all account holders on networks where they signed in recently. Together with
    /// ``hashesOfStrangers``, this is less than one thread can hash, so that the queue stays short.
    static let hashesOfHolders = Allowance(60, perSeconds: 60)
    /// The number of passwords that are hashed for all senders on networks where the account's holder is not known. After a burst of sixty,
    /// one password is hashed every two seconds, which takes an eighth of a core. Few people sign in by password on a new network.
    static let hashesOfStrangers = Allowance(60, perSeconds: 120)
    /// The number of hashes that setting a password may need: one for the present password and one for the new password.
    static let hashesOfPasswordChange = 2
    /// Seconds after which a client should request a code again if the code could not be sent.
    static let messageRetrySeconds: Int64 = 10
    /// The maximum number of pictures of one account that are received at once. The limit leaves room for other accounts' uploads.
    static let imagesReceivedPerAccountMax = 2
    /// The maximum number of sheets of paper cards that are being drawn or wait to be drawn. One sheet is drawn at a time, and takes a
    /// second and some megabytes.
    static let sheetsAtOnceMax = 64
    /// The maximum number of exports that are written at once, one for each account: each export holds a page of the account's events in
    /// memory.
    static let exportsAtOnceMax = 64
    /// The bytes a second that the client of an export must read over the last seconds. Otherwise the export is cut off as soon as another
    /// one needs its slot.
    static let exportBytesPerSecondMin = 16_384
    /// The maximum number of reports on several shops that are made or wait, one for each account.
    static let reportsAtOnceMax = 64
    /// The number of such reports that are made at once. A report may hold hundreds of megabytes while it is made.
    static let reportsBegunMax = 2
    /// The maximum number of requests that wait for reports on a single shop. One report is made at a time, in up to two seconds.
    static let shopReportsAtOnceMax = 128
    /// The maximum number of such requests of one account. A page of numbers sends two at once, and one for each campaign chosen.
    static let shopReportsPerAccountMax = 4
    /// The number of events that an export reads at once.
    static let exportPageEvents = 64
    /// Bytes of an export that are collected before they are sent.
    static let exportPieceBytes = 16_384
    /// Keys, such as accounts, phones or addresses, of which one budget keeps the failures in memory, in each of two generations of its
    /// cache: about 200 bytes each.
    static let budgetedKeysMax = 32_768
}
