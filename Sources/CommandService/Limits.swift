/// The limits of the module `CommandService`, each with its unit and reason.
public enum Limits {
    /// Entities of one kind in each generation of the writer's cache.
    public static let cachedEntitiesMax = 65_536
    /// Shops whose campaigns the writer caches, per generation: at most 16 kB each.
    static let cachedShopListsMax = 1_024
    /// Holders' gains or tallies in one campaign, per generation of the writer's cache: at most 4 kB each.
    static let cachedGainListsMax = 8_192
    /// Opened rewards in each generation of the key store's cache.
    static let cachedRewardsMax = 4_096
    /// Gains kept beyond those that caps count, so that a reversal does not read the log again.
    static let reservedGains = 64
    /// Accounts per generation of the writer's caches of favourites and of mutes.
    static let cachedFavoriteListsMax = 256
    /// Time zones per generation of the writer's cache.
    static let cachedZonesMax = 512
    /// Accounts per generation of the writer's cache of open sessions: about 2 kB each.
    static let cachedSessionListsMax = 1_024
    /// The largest key store, in bytes, that is copied to destroy a key; requests for keys wait some hundredths of a second. A larger store
    /// is zeroed in place.
    public static let copiedBytesMax = 1 << 20
    /// Hashes of a phone number that are looked up for an account of an older release.
    public static let phoneGenerationsMax: UInt32 = 1_000
    /// Attempts of a registration; one fails if the number's account was meanwhile registered and erased.
    package static let registrationTriesMax = 100
    /// Passwords hashed at the same time, each on a core with 16 MiB for some tenths of a second.
    static func passwordsAtOnce(cores: Int) -> Int { max(1, cores - 1) }
    /// Hashes that a thread computes before it takes the idle priority.
    static let passwordsBeforeIdle = 3
    /// Passwords that wait. The half that one address may use takes two to three seconds.
    static let passwordsWaitingMax = 16
    /// Seconds after which a waiting password is dropped: its sender has probably given up.
    static let passwordWaitSecondsMax: Int64 = 5
    /// Seconds over which messages and guesses are counted.
    static let daySeconds: Int64 = 86_400
    /// Seconds for which a number stays reserved for an unregistered account after the newest stamp or claim. Later, the number may belong
    /// to another person.
    package static let waitingSeconds: Int64 = 90 * 86_400
    /// Seconds for which a sign-in by a code proves that its holder has the account's phone.
    package static let freshSessionSeconds: Int64 = 600
    /// Such sessions per generation of their cache: about 50 bytes each.
    package static let freshSessionsMax = 32_768
    /// Seconds between two messages with one code, so that a delayed message can arrive.
    static let messagePauseSeconds: Int64 = 60
    /// Messages a day to one number, separately from known and other networks.
    static let messagesPerNumber = 8
    /// Messages a day from one unknown network to one number, fewer than ``messagesPerNumber`` so that no single network uses these up.
    static let messagesPerNumberAndNetwork = 4
    /// Messages a day from one network to numbers that do not know it.
    static let messagesPerNetwork = 200
    /// Messages a day to all numbers by default, separately from known and other networks.
    public static let messagesPerDay = 10_000
    /// Askers of one code.
    static let askersMax = 3
    /// Networks remembered for each number that signed in.
    static let knownNetworksMax = 2
    /// Wrong codes for each code sent, from one stranger.
    static let strangerTriesMax = 3
    /// Wrong codes a day for one number, from all strangers.
    static let strangerGuessesPerNumber = 100
    /// Wrong codes from one network, over all numbers that do not know it.
    static let strangerGuessesPerNetwork = Allowance(30, perSeconds: 600)
    /// Wrong codes an hour that open the breaker: 5 % of twenty thousand sign-ins.
    static let wrongCodesPerHour = 1_000
    /// Tries from one known network or asker while the breaker is open.
    static let slowTries = Allowance(5, perSeconds: 25)
    /// Wrong codes for each code sent, from an asker while the breaker is open.
    static let slowAskerTriesMax = 1
    /// Numbers or networks per generation of a sign-in table: about 50 bytes each.
    static let signInKeysMax = 32_768
    /// Codes derived for one command until one is unused.
    public static let codeAttemptsMax = 8
    /// Seconds that a report waits for its model.
    package static let catchUpSecondsMax = 2.0
    /// Accounts whose last write is remembered, per generation: about 50 bytes each.
    package static let ownWritesMax = 65_536
    /// Microseconds by which a recent event may be ahead of the clock and still bound the service's time. A larger lead is a mistake in the
    /// log, which must not make every code expire.
    public static let clockLeadMicrosecondsMax: Int64 = 60_000_000
    /// Newest events in which a start looks for the latest time, about a minute of the scheduler's.
    package static let clockEventsReadMax: UInt64 = 32_768

    /// Idempotency keys of requests without an effect, per generation of the cache.
    static let idleRequestsMax = 65_536
    /// Seconds that these keys are kept: longer than any client retries.
    static let idleRequestSeconds: Int64 = 86_400
    /// Attempts of an edit without an expected version; one fails if another edit came in between.
    package static let editAttemptsMax = 4
    /// Seconds until a failed destruction of a key is retried, doubling up to ``erasureRetrySecondsMax``.
    package static let erasureRetrySeconds = 1.0
    package static let erasureRetrySecondsMax = 60.0

    static let hiringsReadMax = 1_000
    static let shopActsPerStep = 256
    /// Newest codes of a shop read to count open ones: some hours of a busy shop.
    static let staffCodesReadMax = 1_000
    /// Steps for one page of a shop's events: about five thousand events, ten milliseconds.
    static let shopActStepsMax = 20
    /// Events of such a page that need further reads.
    public static let shopActsAskedMax = 512
    /// Cards with the same last six characters that a search for acts follows; two of them are rare among millions. All combinations of
    /// these, an account with its ``activityPersons`` and two codes fit one query.
    public static let activityCards = 4
    /// Persons whose waiting cards an account took over last, one for each number, that a search for acts follows.
    public static let activityPersons = 3
    /// Newest taken cards, and newest opened ones, read to find these persons and their accounts.
    static let takenCardsReadMax = 100
    /// Steps of too old events that end such a list.
    static let shopActOldStepsMax = 4
    /// Reversals of a shop read for its digest: seventy a day, ten milliseconds.
    package static let reversalsReadMax = 2_048

    /// Events of each source read for a page of changes: about a millisecond.
    package static let changesReadMax = 256

    /// Events read to find a shop's open offers.
    static let offersReadMax = 4_096
    /// Newest offers of work that a verified number's holder takes.
    package static let waitingOffersMax = 50

    /// Events of pictures read at once: about a millisecond.
    package static let pictureEventsReadMax: UInt64 = 4_096

    /// Seconds between two passes over due entries.
    public static let duePeriodSeconds = 1.0
    /// Commands for due entries in the writer's queue, some 0.2 ms each in a log larger than the memory.
    static let dueCommandsAtOnce = 8
    /// Saved searches with a due alert that a pass looks at, and the rows of the search model after which it looks at no more: some tens of
    /// milliseconds. A hundred thousand such searches have their turns within half an hour.
    public static let (alertsSearchedAtOnce, alertRowsAtOnce) = (64, 8_192)
    /// Alerts that a pass offers, like ``dueCommandsAtOnce``.
    public static let alertsOfferedAtOnce = 8
    /// Due entries searched for notices in a pass while the clock is ahead: about a millisecond.
    package static let dueSearchedAtOnce = 1_024
    /// The pause after a full page, as a multiple of its time, so that the scheduler uses a ninth of the writer's time.
    static let dueRestFactor = 8.0
    /// The longest such pause in seconds, which also delays a stop.
    static let dueRestSecondsMax = 0.25

    // MARK: Following another node

    /// Accounts and shops in one question for their keys.
    package static let askedHoldersMax = 500
    /// Bytes of an answer: at most 126 for each account or shop.
    package static let keyRowsBytesMax = 45 + 126 * askedHoldersMax
    /// Events that a follower searches at once for accounts and pictures, which bounds its memory. Also the events that it may search again
    /// after a crash, because it notes its position less often than it reads.
    package static let followedEventsMax: UInt64 = 16_384
    /// Seconds that a follower's thread waits for an event, which delay a stop.
    package static let followedWaitSeconds = 0.25
    /// Seconds until a failed step of a follower is retried.
    package static let followedRetrySeconds = 1.0
    /// Seconds until another node is asked again for a key that it did not have.
    package static let awaitedRetrySeconds = 60.0

    /// Clients' questions at once for pictures that an earlier writer may have accepted.
    package static let askedPicturesMax = 4
    /// Seconds that delivered rows wait for events of the log, so that the sender gets its answer in time.
    package static let deliveredWaitSeconds = 1.0
    /// Seconds after which a delivery is offered to no further node.
    package static let courierSeconds = 2.0
    /// Seconds for which a node that seems gone is still asked: it may be cut from the shared log only.
    package static let peerKeptSeconds = 30.0

    // MARK: Cluster

    /// Seconds between two beats of a node.
    package static let beatSeconds = 0.5
    /// Seconds that a node leaves to each one that comes before it, to take the writer's place.
    package static let claimSecondsPerRank = 0.1
    /// Seconds of the shared log's answers before a claim: two beats, in which all others tell their positions after a silence.
    package static let claimSettleSeconds = 1.0
    /// Seconds for which a node that has claimed may need to begin to write, while its own beats keep the place.
    package static let claimWriteSecondsMax = 60.0
    /// Seconds of a commit on the writer's own disk, above which it leaves the place to another node.
    package static let commitSecondsMax = 5.0
    /// Seconds that the writer has to replace a value of its key that no node has written, before the others remove it: three beats.
    package static let foreignSecondsMin = 1.5
    /// Seconds for which such a value is named afterwards.
    package static let foreignNamedSeconds = 3_600.0
    /// Seconds that a claim waits for the shared log's answer.
    package static let claimSecondsMax = 4.0
    /// Seconds for which a node that takes the writer's place may have lacked events before.
    package static let claimBehindSecondsMax = 3.0
    /// Seconds between its clock and those of the others. A larger difference is a mistake.
    package static let claimClockSecondsMax: Int64 = 60
    /// Seconds for which a node may have lacked events, above which it answers nobody who is signed in. A change of the writer takes five.
    package static let staleSecondsMax = 10.0
    /// Seconds after which a command over a shared log is answered without its outcome.
    package static let outcomeSecondsMax = 5.0
    /// Seconds between two removals of entries from the shared log.
    package static let trimPeriodSeconds = 10.0

    // MARK: Live streams

    /// Open streams, each a connection, a task and a few kilobytes.
    public static let liveStreamsMax = 10_000
    /// Open streams of one account: some devices, and lost connections.
    public static let liveStreamsPerAccountMax = 8
    /// Events buffered for a slow reader.
    public static let liveBufferedEventsMax = 64
    /// Events that a stream reads from the log at once.
    public static let livePageEvents = 64
    /// Events that one account's streams may read without a pause: more than a busy shop's devices miss in a night.
    static let liveReadEventsBurst: Int64 = 32_768
    /// Events a second after that.
    static let liveReadEventsPerSecond: Int64 = 500
    /// Accounts whose reads are counted, per generation: about 50 bytes each.
    static let livePacedAccountsMax = 32_768
    /// Events that the opening of a stream reads before other tasks run.
    static let liveLoadedPageEvents = 256
    /// Shorter than the idle timeout of proxies.
    public static let liveBeatSeconds: Int64 = 15
    /// Seconds between two checks of all streams, which delay heartbeats, ends and paused reads.
    static let liveLookSeconds = 1.0
}

/// The file descriptors that a service needs.
public enum DescriptorNeeds {
    /// Descriptors for the service's own files: 60 at the start, more for rebuilds, pictures and backups.
    public static let reserved = 512
    public static let connectionsMin = 128
    /// ``Limits/liveStreamsMax`` and 6,000 others. An idle one takes about 20 kB.
    public static let connectionsMax = 16_384
    /// The number of descriptors below which no service starts.
    public static let least = reserved + connectionsMin
    public static let wanted = reserved + connectionsMax
}
