import CommandService
import Loyalty
import LoyaltyCodec
import ReadModels

/// The bounds of this layer, each with its unit and reason.
enum Limits {
    // MARK: Requests

    /// A request's body. The longest that anybody needs is a review of 2,000 characters, 8 kB.
    static let bodyBytesMax = 65_536
    /// A form of a page without scripts: a language, and the address to go back to.
    static let formBytesMax = 20_480
    /// Fields of such a form.
    static let formFieldsMax = 64
    /// An idempotency key, in characters.
    static let idempotencyKeyCharacters = 1...255
    /// Seconds for which the answer to a sign-in is kept for who asks again: as long as the code is good that it took.
    static let sessionAnswerSeconds: Int64 = 300
    /// Seconds in which the same refresh token gets the same answer, whatever its key: two tabs of one browser, or a retry.
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
    /// Nobody alive was born before.
    static let birthdayMin = CalendarDay(of: Instant(microseconds: -2_208_988_800_000_000))
    /// The earliest time zone is fourteen hours ahead of UTC, in seconds.
    static let dayLeadSeconds: Int64 = 14 * 3_600
    /// A password: NIST SP 800-63B asks for at least eight characters, and for no rule about which. The bound is far beyond any
    /// phrase that people remember.
    static let password = TextLimit(scalars: 8...128)
    /// An `Authorization` header that can be one of ours; ours have about 350.
    static let authorizationBytesMax = 1_024
    /// Seconds after which a connection on which nothing begins is closed: longer than what proxies keep one for.
    static let idleSeconds: Int64 = 75
    /// Seconds in which a request must be there whole, but for pictures, and in which a client must fetch some of its answer.
    static let patienceSeconds: Int64 = 150
    /// Seconds in which a client fetches the last answer of a connection, after it was sent.
    static let lingerSeconds: Int64 = 5

    /// Bytes of one header, its name included.
    static let headerFieldBytesMax = 16_384
    /// Bytes of all headers of a request: no client of ours needs a tenth of it.
    static let headerBytesMax = 32_768
    /// Headers of a request.
    static let headerFieldsMax = 100

    // MARK: Readiness

    /// Bytes free on the disk below which nothing can be stored any more: a commit takes some pages, and an index run more.
    static let readyFreeBytesMin: Int64 = 1 << 20
    /// Percent of the disk that should be free: below, an operator has days at best.
    static let diskWarningPercent = 5
    /// Percent of the descriptors that may be open before an operator should raise the limit.
    static let descriptorsWarningPercent = 80
    /// Seconds of the clock that no time synchronisation steps back by.
    static let clockLeadWarningSeconds = 2.0
    /// Seconds before a certificate's end: two weeks, which is when renewals of short ones are late.
    static let certificateWarningSeconds: Int64 = 14 * 86_400

    // MARK: Connections

    /// Connections open at once: as many live streams as there may be, and half as many others. An idle one takes about 20 kB.
    static let connectionsMax = 16_384
    /// Connections below which it is not worth starting.
    static let connectionsMin = 128
    /// Descriptors kept for the service's own files. A fresh one has 60 open; models that are rebuilt, pictures and backups want more.
    static let descriptorsReserved = 512
    /// Connections from one address: carriers put thousands of phones behind one, of which some hundreds are active.
    static let connectionsPerAddressMax = 1_024
    /// New connections from one address: a carrier's phones send some requests over each, and a page of ours opens two.
    static let connectionsOpened = Allowance(600, perSeconds: 15)
    /// How many addresses' rates of new connections an IPv6 /48 has. Its customer may use 65,536 addresses.
    static let networkRateFactor = 4
    /// Connections from one IPv6 /48.
    static let connectionsPerNetworkMax = 4_096
    /// Addresses that it takes at least to use up all connections.
    static let addressesToFillMin = 8
    /// Networks that it takes at least to use up all connections.
    static let networksToFillMin = 4
    /// Milliseconds that the listening socket rests when no descriptor is left: one waits that long at most once there are some again.
    static let acceptRestMilliseconds: Int64 = 250
    /// Seconds between two lines of the log about connections, of each kind.
    static let connectionLineSeconds: Int64 = 10
    /// Seconds from a request's head in which its body may come at any rate: a few kilobytes over the worst mobile connection.
    static let bodyGraceSeconds: Int64 = 10
    /// Seconds for a whole picture: the largest is there at 14 kB/s then. The least rate counts all the same.
    static let picturePatienceSeconds: Int64 = 600
    /// Bytes a second that a body must keep to on average after that. The largest but for pictures is there after 26 s then.
    static let bodyBytesPerSecondMin = 4_096
    /// Bytes of a connection's bodies that count in no pool: nearly every request of an honest client. All connections together can
    /// hold 64 MiB of them.
    static let bodyBytesFree = 4_096
    /// Bytes of all other bodies at once, but for pictures: five hundred of the largest. With the copies that are made in between, they
    /// take a little more than twice as much memory.
    static let bodiesBytesMax = 32 << 20
    /// Bytes of pictures at once, received whole or in part: those of ten accounts that send the largest, or of a hundred that send
    /// usual ones.
    static let picturesBytesMax = 160 << 20

    // MARK: Lists

    /// Items of one page, where the client names a number.
    static let pageItems = 1...100
    /// Items of one page, where it does not.
    static let pageItemsDefault = 20

    // MARK: Pages

    /// Rendered pages kept, per generation of the cache (there are two): with the next limit, 32 MiB at most.
    static let renderedPagesMax = 256
    /// Bytes of a page that is kept: the first page has some 20,000.
    static let renderedPageBytesMax = 65_536
    /// Bytes of the address of a page that is kept.
    static let renderedAddressBytesMax = 512

    // MARK: Proof

    /// Seconds that a checkpoint may be kept on the way: a newer one is signed about once a second.
    static let checkpointSecondsMax = 2

    // MARK: Pictures

    /// Seconds that anybody may keep a picture that a shop shows: so long may one be seen that was taken down.
    static let publicImageSeconds = 86_400
    /// Seconds that a viewer may keep any other picture, as one of a person.
    static let privateImageSeconds = 300

    // MARK: Waiting

    /// How long a read waits for the position that it was asked to show.
    static let minPositionSecondsMax = 2.0
    /// A read model this many events behind is not ready: at the slowest measured rate it needs seconds to catch up.
    static let readyLagEventsMax: UInt64 = 10_000

    // MARK: Statistics

    /// Days of one report: a year and a day, so that a leap year fits.
    static let reportDaysMax = 367
    /// Days of a report where nobody says which.
    static let reportDaysDefault = 30

    /// Days of one answer about customers and cards, and the most after which a card may count as left.
    static let analyticsDaysMax = ReadModelLimits.journeyDaysMax
    /// Days of it where nobody says which: half a year of weeks.
    static let analyticsDaysDefault = 182

    // MARK: Live

    /// Milliseconds after which a client comes again when a stream breaks off.
    static let liveRetryMilliseconds = 3_000
    /// Seconds after which a client comes again where it, or everybody, has too many streams.
    static let liveRetrySeconds: Int64 = 30

    // MARK: Tokens

    /// An access token's life. Short, because nobody is asked whether it still holds while it is cached.
    static let accessTokenSeconds: Int64 = 15 * 60
    /// Seconds for which one key signs access tokens.
    static let tokenKeySeconds: Int64 = 30 * 86_400
    /// Refreshes of a session in ten minutes: a token lives for fifteen, and each refresh is an event for ever.
    static let refreshesMax = 60
    /// Replies of an account in ten minutes.
    static let repliesMax = 200
    /// Reviews of an account in ten minutes: each is shown to everybody who looks at the shop, and is an event for ever.
    static let reviewsMax = 30
    /// Notices of an account in ten minutes: each goes to every customer of a shop.
    static let noticesMax = 10
    /// Times in ten minutes that an account may keep a campaign or let one go: each is an event for ever.
    static let favoriteChangesMax = 300
    /// Edits of their own profile that an account may make in ten minutes: each is an event for ever.
    static let profileEditsMax = 60
    /// Offers to work at a shop that an account may make in a day: each is an event for ever, and disturbs somebody.
    static let invitationsMax = 60
    /// New numbers that one member of a shop may stamp in that time: the new customers of a busy day.
    static let strangerStampsMax = 300
    /// Strips of codes that one member of a shop may issue in ten minutes: each is a hundred events.
    static let stripsMax = 60
    /// Seconds for which a badge is good: it is shown on the spot.
    static let badgeSeconds: Int64 = 120
    /// Muted shops in one answer.
    static let mutesShownMax = 1_000
    /// Characters of a badge.
    static let badgeCharactersMax = 64
    /// The time in which those are counted.
    static let invitationWindowSeconds: Int64 = 86_400
    /// Accounts that an operator may search or give another number in ten minutes: each is an event for ever, and who misuses the role
    /// gets no further.
    static let operatorActsMax = 60
    /// Times in ten minutes that an account may mute a shop or end that: each is an event for ever.
    static let muteChangesMax = 60
    /// Pictures that are received at once. What they hold in memory is bounded by `picturesBytesMax`, all of them together.
    static let imagesReceivedMax = 256
    /// Seconds after which one of these may have found its end.
    static let slotRetrySeconds: Int64 = 2
    /// How far ahead of our clock a token's issue may lie: the clock may have been set right since.
    static let accessTokenLeadSecondsMax: Int64 = 60
    /// Verified tokens kept, per generation of the cache (there are two): about 500 bytes each.
    static let cachedTokensMax = 32_768
    /// Ended sessions remembered until their last token is over.
    static let endedSessionsMax = 65_536

    /// Sessions of which it is kept when and by what they were last seen, per generation: 300 bytes each.
    static let sightedSessionsMax = 32_768
    /// Characters of a `User-Agent` that are kept. Browsers send up to some 200.
    static let deviceCharactersMax = 200

    // MARK: Budgets

    /// Failures until an account must wait, and verification codes until a phone must.
    static let failuresMax = 10
    /// Pictures that an account may send in that time: each costs a second of decoding, and disk for a day.
    static let imagesMax = 30
    /// Photos of codes that an account may send in that time: each costs up to a second of decoding.
    static let scansMax = 120
    /// Redemption codes that may be asked for one card in that time. One is good for five minutes, so two would do; the rest is for
    /// phones that lose their way.
    static let redemptionRequestsMax = 10
    /// The time in which those are counted.
    static let failureWindowSeconds: Int64 = 600
    /// Wrong passwords, wrong verification codes, and verification codes asked for, from one address: more than from one phone, since
    /// a household or a company shares it.
    static let failuresPerAddressMax = 30
    /// Wrong passwords for one number in that time, from all networks where its holder did not sign in lately.
    static let wrongPasswordsPerPhoneMax = 50
    /// Passwords hashed for one address, right or wrong: a crowded household, and at most a third of a core for half a minute.
    static let hashesPerAddress = Allowance(40, perSeconds: 600)
    /// Passwords hashed for all holders at networks of theirs. With those of strangers, less than what one thread can do, so that the
    /// queue stays short.
    static let hashesOfHolders = Allowance(60, perSeconds: 60)
    /// Passwords hashed for all strangers: sixty at once, and one every two seconds, an eighth of a core. Few people sign in by password
    /// on a new network.
    static let hashesOfStrangers = Allowance(60, perSeconds: 120)
    /// Hashes that setting a password may take: the one that is shown, the new one, and the one of a repeated request.
    static let hashesOfPasswordChange = 2
    /// After how many seconds it is worth asking again for a code that could not be sent.
    static let messageRetrySeconds: Int64 = 10
    /// Pictures of one account among them: others have some to send, too.
    static let imagesReceivedPerAccountMax = 2
    /// Exports that are made at once: each is in memory whole, and takes a thread meanwhile.
    static let exportsAtOnceMax = 1
    /// Exports of one account in the same time: each reads everything that there is.
    static let exportsMax = 10
    /// Requests of one account. A till at its busiest issues a code and looks at it a few times a second; a phone that has been away
    /// asks for a few dozen things at once.
    static let accountRate = RequestRate(burst: 600, perSecond: 20)
    /// Requests from one address. Mobile carriers put thousands of phones behind one, and a mall all of its shops.
    static let addressRate = RequestRate(burst: 6_000, perSecond: 200)
    /// Bytes of a JSON answer that one token pays for: ten campaigns or cards, half a millisecond.
    static let answerBytesPerToken = 4_096
    /// Seconds that a client waits at the most after a long answer that cost more tokens than it had.
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
