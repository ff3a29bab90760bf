import CommandService
import Loyalty
import LoyaltyCodec
import ReadModels

/// The bounds of this layer, each with its unit and reason.
enum Limits {
    // MARK: Requests

    /// A request's body. The longest valid one is a review of 2,000 characters, 8 kB.
    static let bodyBytesMax = 65_536
    /// A form of a page without scripts: a language, and the address to go back to.
    static let formBytesMax = 20_480
    /// Fields of such a form.
    static let formFieldsMax = 64
    /// An idempotency key, in characters.
    static let idempotencyKeyCharacters = 1...255
    /// Campaigns, the newest of a shop, and stamps of each, that are counted to find the one that a what-if question begins with.
    static let (whatIfCampaignsCounted, whatIfStampsCounted) = (20, 1_000)
    /// Seconds up to which the end of a campaign is printed on its cards on paper: ten years.
    static let printedEndSecondsMax: Int64 = 10 * 366 * 86_400
    /// Seconds for which the answer to a sign-in is kept for retries: as long as the code is valid that it spent.
    static let sessionAnswerSeconds: Int64 = 300
    /// Seconds for which the same refresh token gets the same answer, with any key: two tabs of one browser, or a retry.
    static let refreshGraceSeconds: Int64 = 10
    /// Such answers, in each of two generations; a kilobyte each.
    static let sessionAnswersMax = 4_096
    /// The text of a review or a reply.
    static let reviewText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A notice's title: one line of a list.
    static let noticeTitle = TextLimit(scalars: 1...100)
    /// The text of a notice.
    static let noticeText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A message to the operator.
    static let feedbackText = TextLimit(scalars: 1...2_000, allowsLines: true)
    /// A person's nickname.
    static let nickname = TextLimit(scalars: 1...50)
    /// The city in a profile.
    static let city = TextLimit(scalars: 1...100)
    /// The earliest birthday: no living person was born before.
    static let birthdayMin = CalendarDay(of: Instant(microseconds: -2_208_988_800_000_000))
    /// The earliest time zone is fourteen hours ahead of UTC, in seconds.
    static let dayLeadSeconds: Int64 = 14 * 3_600
    /// A password: NIST SP 800-63B asks for at least eight characters and no composition rules. The upper bound is far beyond any phrase
    /// that people remember.
    static let password = TextLimit(scalars: 8...128)
    /// The longest `Authorization` header that can hold one of our tokens, which have about 350 bytes.
    static let authorizationBytesMax = 1_024
    /// Seconds after which a connection is closed if nothing begins on it: longer than proxies keep one.
    static let idleSeconds: Int64 = 75
    /// Seconds in which a request, except a picture, must arrive completely, and in which a client must read some of its answer.
    static let patienceSeconds: Int64 = 150
    /// Seconds in which a client must read the last answer of a connection, after it was sent.
    static let lingerSeconds: Int64 = 5

    /// Bytes of one header, its name included.
    static let headerFieldBytesMax = 16_384
    /// Bytes of all headers of a request: our clients need less than a tenth of it.
    static let headerBytesMax = 32_768
    /// Headers of a request.
    static let headerFieldsMax = 100

    // MARK: Readiness

    /// Free bytes on the disk below which nothing more can be stored: a commit takes some pages, and an index run more.
    static let readyFreeBytesMin: Int64 = 1 << 20
    /// Percent of the disk that should be free; below that, it may be full within days.
    static let diskWarningPercent = 5
    /// Percent of the descriptors that may be open before an operator should raise the limit.
    static let descriptorsWarningPercent = 80
    /// Seconds by which the clock may be set back before an operator is warned: time synchronisation takes smaller steps.
    static let clockLeadWarningSeconds = 2.0
    /// Seconds before a certificate's end at which an operator is warned: two weeks, when the renewal of a short-lived one is late.
    static let certificateWarningSeconds: Int64 = 14 * 86_400

    // MARK: Connections

    /// Connections from one address: carriers put thousands of phones behind one, of which some hundreds are active.
    static let connectionsPerAddressMax = 1_024
    /// New connections from one address: a carrier's phones send several requests over each, and a page of ours opens two.
    static let connectionsOpened = Allowance(600, perSeconds: 15)
    /// The rate of new connections of an IPv6 /48, as a multiple of one address's. Its customer may use 65,536 addresses.
    static let networkRateFactor = 4
    /// Connections from one IPv6 /48.
    static let connectionsPerNetworkMax = 4_096
    /// The minimum number of addresses that can use up all connections.
    static let addressesToFillMin = 8
    /// The minimum number of networks that can use up all connections.
    static let networksToFillMin = 4
    /// Milliseconds for which the listening socket pauses when no descriptor is free: the longest wait of a client once one is free again.
    static let acceptRestMilliseconds: Int64 = 250
    /// Seconds between two log lines of one kind about connections.
    static let connectionLineSeconds: Int64 = 10
    /// Seconds after a request's head in which its body may arrive at any rate: a few kilobytes over the worst mobile connection.
    static let bodyGraceSeconds: Int64 = 10
    /// Seconds for a whole picture: enough for the largest at 14 kB/s. The minimum rate applies as well.
    static let picturePatienceSeconds: Int64 = 600
    /// Bytes a second that a body must reach on average after that. So the largest body, except a picture, arrives within 26 s.
    static let bodyBytesPerSecondMin = 4_096
    /// Bytes of a connection's bodies that count in no pool, enough for nearly every honest request. All connections together can hold 64
    /// MiB of them.
    static let bodyBytesFree = 4_096
    /// Bytes of all other bodies at once, except pictures: five hundred of the largest. With intermediate copies they take a little more
    /// than twice as much memory.
    static let bodiesBytesMax = 32 << 20
    /// Bytes of pictures at once, received completely or in part: ten of the largest, or a hundred usual ones.
    static let picturesBytesMax = 160 << 20

    // MARK: Lists

    /// Items of one page, if the client names a number.
    static let pageItems = 1...100
    /// Items of one page, if the client names none.
    static let pageItemsDefault = 20

    // MARK: Pages

    /// The campaigns of other shops that the answer of a shop shows: as many as a shop may have of its own.
    static let sharedCampaignsShownMax = 100
    /// Rendered pages kept, per generation of the cache (there are two): with the next limit, 32 MiB at most.
    static let renderedPagesMax = 256
    /// Bytes of a page that is kept: the first page has some 20,000.
    static let renderedPageBytesMax = 65_536
    /// Bytes of the address of a page that is kept.
    static let renderedAddressBytesMax = 512

    // MARK: Proof

    /// Seconds for which a cache may keep a checkpoint: a newer one is signed about once a second.
    static let checkpointSecondsMax = 2

    // MARK: Pictures

    /// Seconds for which any cache may keep a picture that a shop shows, and therefore show it after a take-down.
    static let publicImageSeconds = 86_400
    /// Seconds for which a viewer may keep any other picture, because it may be a person's.
    static let privateImageSeconds = 300

    // MARK: Waiting

    /// How long a read waits for the position that its request names.
    static let minPositionSecondsMax = 2.0
    /// Events by which a read model may be behind and still be ready: at the slowest measured rate it catches up in seconds.
    static let readyLagEventsMax: UInt64 = 10_000

    // MARK: Statistics

    /// Days of one report: a year and a day, so that a leap year fits.
    static let reportDaysMax = 367
    /// Days of a report if the request names none.
    static let reportDaysDefault = 30

    /// Days of one report about customers and cards, and the maximum for its idle days.
    static let analyticsDaysMax = ReadModelLimits.journeyDaysMax
    /// Days of that report if the request names none: half a year of weeks.
    static let analyticsDaysDefault = 182

    // MARK: What-if questions

    /// Questions that wait for the one that is being answered. Each takes some seconds at most.
    static let whatIfWaitingMax = 8
    /// Seconds after which a place may be free.
    static let whatIfRetrySeconds: Int64 = 10
    /// Events of a question: about half a minute of one core, and some hundred megabytes.
    static let whatIfEventsMax = 2_000_000
    /// Seconds without a look at its progress after which a question's asker has left. Pages look every second or two; a phone in a pocket
    /// pauses them.
    static let whatIfPatienceSeconds: Int64 = 60
    /// Seconds for which an answer that nobody looks at is kept.
    static let whatIfKeptSeconds: Int64 = 600
    /// Answers that are kept: a few kilobytes each, and twelve bytes for each customer that gained or lost.
    static let whatIfKeptMax = 16
    /// Questions of one account in ten minutes.
    static let whatIfsMax = 60

    // MARK: Live

    /// Milliseconds after which a client reconnects when a stream breaks.
    static let liveRetryMilliseconds = 3_000
    /// Seconds after which a client reconnects if it, or the service, has too many streams.
    static let liveRetrySeconds: Int64 = 30

    // MARK: Tokens

    /// An access token's life. It is short, because a cached token is not checked against the log.
    static let accessTokenSeconds: Int64 = 15 * 60
    /// Seconds for which one key signs access tokens.
    static let tokenKeySeconds: Int64 = 30 * 86_400
    /// Refreshes of a session in ten minutes: a token lives for fifteen, and each refresh is an event for ever.
    static let refreshesMax = 60
    /// Replies of an account in ten minutes.
    static let repliesMax = 200
    /// Reviews of an account in ten minutes: each is shown to every visitor of the shop, and adds a permanent event.
    static let reviewsMax = 30
    /// Notices of an account in ten minutes: each goes to every customer of a shop.
    static let noticesMax = 10
    /// Changes of an account's favourites in ten minutes: each adds a permanent event.
    static let favoriteChangesMax = 300
    /// Edits of its own profile that an account may make in ten minutes: each adds a permanent event.
    static let profileEditsMax = 60
    /// Offers to work at a shop that an account may make in a day: each adds a permanent event, and disturbs a person.
    static let invitationsMax = 60
    /// New numbers that one member of a shop may stamp in a day: the new customers of a busy day.
    static let strangerStampsMax = 300
    /// Strips of codes that one member of a shop may issue in ten minutes: each is a hundred events.
    static let stripsMax = 60
    /// Seconds for which a badge is valid: it is shown on the spot.
    static let badgeSeconds: Int64 = 120
    /// Muted shops in one answer.
    static let mutesShownMax = 1_000
    /// Characters of a badge.
    static let badgeCharactersMax = 64
    /// The period of those limits: a day, in seconds.
    static let invitationWindowSeconds: Int64 = 86_400
    /// Accounts that an operator may search or give another number in ten minutes: each adds a permanent event, and the limit bounds the
    /// harm of a misused role.
    static let operatorActsMax = 60
    /// Mutes and ends of mutes of an account in ten minutes: each adds a permanent event.
    static let muteChangesMax = 60
    /// Pictures that are received at once. `picturesBytesMax` bounds their memory, all of them together.
    static let imagesReceivedMax = 256
    /// Seconds after which a retry may find a free slot.
    static let slotRetrySeconds: Int64 = 2
    /// Seconds by which a token's issue may be ahead of our clock, which may have been corrected since.
    static let accessTokenLeadSecondsMax: Int64 = 60
    /// Verified tokens kept, per generation of the cache (there are two): about 500 bytes each.
    static let cachedTokensMax = 32_768
    /// Ended sessions remembered until their last token has expired.
    static let endedSessionsMax = 65_536

    /// Sessions whose last use is remembered, per generation: 300 bytes each.
    static let sightedSessionsMax = 32_768
    /// Characters of a `User-Agent` that are kept. Browsers send up to some 200.
    static let deviceCharactersMax = 200

    // MARK: Budgets

    /// Failures after which an account must wait, and verification codes after which a phone must.
    static let failuresMax = 10
    /// Pictures that an account may upload in that time: each costs a second of decoding, and disk space for a day.
    static let imagesMax = 30
    /// Photos of codes that an account may send in that time: each costs up to a second of decoding.
    static let scansMax = 120
    /// Redemption codes that may be asked for one card in that time. One is good for five minutes, so two would do; the rest is for
    /// phones that lose their way.
    static let redemptionRequestsMax = 10
    /// The period of these limits: ten minutes, in seconds.
    static let failureWindowSeconds: Int64 = 600
    /// Wrong passwords, wrong verification codes, and requested verification codes, from one address: more than from one phone, since a
    /// household or a company shares an address.
    static let failuresPerAddressMax = 30
    /// Wrong passwords for one number in that time, from all networks where its holder did not sign in recently.
    static let wrongPasswordsPerPhoneMax = 50
    /// Passwords hashed for one address, right or wrong: a crowded household, and at most a third of a core for half a minute.
    static let hashesPerAddress = Allowance(40, perSeconds: 600)
    /// Passwords hashed for account holders on networks where they are known. Together with strangers' it is less than one thread can do,
    /// so that the queue stays short.
    static let hashesOfHolders = Allowance(60, perSeconds: 60)
    /// Passwords hashed for all strangers: a burst of sixty, then one every two seconds, an eighth of a core. Few people sign in by
    /// password on a new network.
    static let hashesOfStrangers = Allowance(60, perSeconds: 120)
    /// Hashes that setting a password may need: for the present password and for the new one.
    static let hashesOfPasswordChange = 2
    /// Seconds after which a code that could not be sent may be requested again.
    static let messageRetrySeconds: Int64 = 10
    /// Pictures of one account that are received at once, so that others can upload, too.
    static let imagesReceivedPerAccountMax = 2
    /// Sheets of paper cards that are drawn, one after another, or wait for it: each takes a second and some megabytes.
    static let sheetsAtOnceMax = 4
    /// Sheets that are drawn for one account in ten minutes, the same ones again among them.
    static let sheetsMax = 20
    /// Exports that are made at once: each is in memory whole, and takes a thread meanwhile.
    static let exportsAtOnceMax = 1
    /// Exports of one account in ten minutes: each reads the account's whole history.
    static let exportsMax = 10
    /// Requests of one account. A till at its busiest issues and polls codes a few times a second; a phone that was offline requests a few
    /// dozen things at once.
    static let accountRate = RequestRate(burst: 600, perSecond: 20)
    /// Requests from one address. Mobile carriers put thousands of phones behind one, and a mall all of its shops.
    static let addressRate = RequestRate(burst: 6_000, perSecond: 200)
    /// Bytes of a JSON answer that one token covers: ten campaigns or cards, half a millisecond.
    static let answerBytesPerToken = 4_096
    /// Seconds that a client waits at most after a long answer that cost more tokens than it had.
    static let rateDebtSecondsMax: Int64 = 10
    /// Requests from one address for proofs, health and others that need no account. Each takes a few hundredths of a millisecond. A client
    /// that copies the 40,000 tiles of a log of ten million events finishes in about a minute.
    static let machineRate = RequestRate(burst: 6_000, perSecond: 600)
    /// Accounts or addresses whose rate is kept in memory, per generation: about 50 bytes each.
    static let ratedKeysMax = 65_536
    /// Parts of that memory, each with a lock of its own.
    static let rateParts = 16
    /// Accounts or phones with failures kept in memory, per generation: about 200 bytes each.
    static let budgetedKeysMax = 32_768
}
