/// The limits of the module `CommandService`, each with its unit and reason.
public enum Limits {
    /// The maximum number of entities of one kind, such as cards, that the writer keeps in memory, in each of two generations of its cache.
    public static let cachedEntitiesMax = 65_536
    /// The maximum number of shops whose list of campaigns the writer keeps in memory, in each of two generations of its cache: at most 16
    /// kB for each shop.
    static let cachedShopListsMax = 1_024
    /// The maximum number of pairs of an account and a campaign with caps whose stamps the writer keeps in memory, in each of two
    /// generations of its cache: at most four kilobytes for each pair. The same maximum holds for the pairs whose cards and codes it
    /// counts.
    static let cachedGainListsMax = 8_192
    /// The number of gains that such a list has beyond those that caps count, so that the log is not read again after each reversal.
    static let reservedGains = 64
    /// The maximum number of accounts whose favourites the writer keeps in memory, and of accounts whose muted shops it keeps, in each of
    /// two generations of its caches.
    static let cachedFavoriteListsMax = 256
    /// The maximum number of time zones that the writer keeps in memory, in each of two generations of its cache. IANA lists about 600
    /// zones.
    static let cachedZonesMax = 512
    /// The maximum number of accounts whose open sessions the writer keeps in memory, in each of two generations of its cache: about 2 kB
    /// for each account.
    static let cachedSessionListsMax = 1_024
    /// The largest size of a key store, in bytes, for which destroying a key copies the whole store. A store of a few thousand accounts has
    /// this size. Copying takes a few hundredths of a second, during which all requests for keys wait. In a larger store the key's bytes
    /// are zeroed in place.
    public static let copiedBytesMax = 1 << 20
    /// The maximum number of hashes of a phone number by which the log is searched for an account of an older release. The hash differs
    /// after each erasure of an account with the number, so each erasure adds one look-up.
    public static let phoneGenerationsMax: UInt32 = 1_000
    /// The maximum number of attempts of one registration. Another attempt follows if, during the attempt, another request registered an
    /// account with the phone number and that account was erased.
    package static let registrationTriesMax = 100
    /// The number of passwords that are hashed at the same time. Each takes 16 MiB and a core for some tenths of a second. One core is
    /// left to requests. On a machine with a single core, hashing and requests share that core.
    static func passwordsAtOnce(cores: Int) -> Int { max(1, cores - 1) }
    /// The number of hashes that a thread computes one after another before it takes the idle priority.
    static let passwordsBeforeIdle = 3
    /// The maximum number of passwords that wait to be hashed; further ones are refused. Hashing those of one address, half of them, takes
    /// one thread two to three seconds.
    static let passwordsWaitingMax = 16
    /// Seconds after which a waiting password is no longer hashed, because its sender has probably given up.
    static let passwordWaitSecondsMax: Int64 = 5
    /// Seconds of a day, the period over which messages and guesses are counted.
    static let daySeconds: Int64 = 86_400
    /// Seconds for which a phone number stays reserved for an account that nobody has registered: ninety days after the newest stamp, or
    /// after the claim if there is no stamp. Until then, the number's holder can sign in and receive the cards that shops stamped for the
    /// number. Later, the number may belong to somebody else.
    package static let waitingSeconds: Int64 = 90 * 86_400
    /// Seconds for which a session that was begun with a code from a text message counts as proof that its holder has the account's phone.
    package static let freshSessionSeconds: Int64 = 600
    /// The maximum number of sessions begun with a code from a text message that are kept in memory, in each of two generations of a cache:
    /// about 50 bytes for each session.
    package static let freshSessionsMax = 32_768
    /// The minimum number of seconds between two messages with the same code. After this time, a message that was only delayed by the
    /// network has arrived.
    static let messagePauseSeconds: Int64 = 60
    /// The maximum number of messages a day to one phone number: enough for a person with a few devices and a bad connection. Requests from
    /// networks where the number signed in recently, and requests from all other networks, have this limit separately.
    static let messagesPerNumber = 8
    /// The maximum number of messages a day to one phone number that are requested from one network where the number did not sign in
    /// recently. So no single network can use up all messages of a number.
    static let messagesPerNumberAndNetwork = 4
    /// The maximum number of messages a day that are requested from one network, to all phone numbers that did not sign in there recently.
    /// The limit is high, because thousands of phones of a mobile carrier share the addresses of one /24 network.
    static let messagesPerNetwork = 200
    /// The default maximum of messages a day to all phone numbers together, requested from networks where the numbers did not sign in
    /// recently. Just as many may also be requested from networks where the numbers signed in recently.
    public static let messagesPerDay = 10_000
    /// The number of networks that count as askers of one code: the first ones from which the code was requested. ``Verifications`` shows
    /// by calculation why this limit and the next ones suffice.
    static let askersMax = 3
    /// The number of networks remembered for each phone number that signed in: for example, one at home and one of a mobile carrier.
    static let knownNetworksMax = 2
    /// The number of wrong codes that may be entered, for each code sent, from one network that is a stranger in the sense of
    /// ``Verifications``.
    static let strangerTriesMax = 3
    /// The number of wrong codes a day for one phone number, from all networks together that are strangers to it (``Verifications``).
    static let strangerGuessesPerNumber = 100
    /// The number of wrong codes that may be entered from one network, over all phone numbers to which it is a stranger
    /// (``Verifications``).
    static let strangerGuessesPerNetwork = Allowance(30, perSeconds: 600)
    /// The number of wrong codes an hour, from all networks together, above which strangers are refused and all others are slowed down (the
    /// breaker of ``Verifications``). It is 5 % of twenty thousand sign-ins an hour.
    static let wrongCodesPerHour = 1_000
    /// The number of codes that may be tried from one network that is known or an asker, while the breaker of ``Verifications`` is open.
    static let slowTries = Allowance(5, perSeconds: 25)
    /// The number of wrong codes, for each code sent, that may be entered from a network that requested the code, while the breaker of
    /// ``Verifications`` is open.
    static let slowAskerTriesMax = 1
    /// The number of phone numbers or networks kept in each of the two generations of a sign-in table: about 50 bytes for each.
    static let signInKeysMax = 32_768
    /// The maximum number of codes that are derived for one command. Another code is derived if the previous one is equal to an existing
    /// code. Even two such collisions in a row have a probability of only 10⁻¹⁰.
    public static let codeAttemptsMax = 8
    /// The maximum number of seconds that a report waits for its model to include the newest events. After this time, the report shows the
    /// model as it is.
    package static let catchUpSecondsMax = 2.0
    /// The maximum number of accounts whose last write is remembered, in each of two generations of a cache: about 50 bytes for each
    /// account. The number suffices, because models are behind the log by fractions of a second, and fewer accounts than this write in such
    /// a time.
    package static let ownWritesMax = 65_536
    /// The maximum number of microseconds by which a recent event may be ahead of the clock and still be a lower bound for the service's
    /// time. A small lead comes from a clock that was corrected. A larger lead is a mistake in the log, which must not make every code
    /// expire.
    public static let clockLeadMicrosecondsMax: Int64 = 60_000_000
    /// The maximum number of newest events among which a start looks for the latest time. Only events of the last minute matter: if an
    /// older one was ahead of the clock by at most ``clockLeadMicrosecondsMax``, the clock has passed its time since. The scheduler, whose
    /// events have earlier times than others if the clock is fast, records a few hundred events a second, so this number is about a minute
    /// of its events. Reading them takes some milliseconds.
    package static let clockEventsReadMax: UInt64 = 32_768

    /// The maximum number of accepted requests without an effect whose idempotency keys the writer remembers, in each of two generations of
    /// its cache: six machine words each, plus the overhead of a dictionary.
    static let idleRequestsMax = 65_536
    /// Seconds for which the keys of requests without an effect are remembered: a day, which is longer than any client repeats a request.
    static let idleRequestSeconds: Int64 = 86_400
    /// The maximum number of attempts to seal and submit an edit that names no expected version. Another attempt follows if another edit of
    /// the shop came between sealing and submitting.
    package static let editAttemptsMax = 4
    /// Seconds after which the destruction of an erased account's key is tried again if it failed. The time doubles with each attempt, up
    /// to ``erasureRetrySecondsMax``.
    package static let erasureRetrySeconds = 1.0
    package static let erasureRetrySecondsMax = 60.0

    /// The maximum number of an account's newest employments that are read to find the shops where it works. An account has many
    /// employments only if it accepted many offers.
    static let hiringsReadMax = 1_000
    /// The number of events that are read in one step of searching the log for the events at a shop.
    static let shopActsPerStep = 256
    /// The number of a shop's newest codes that are read to count the open codes of each member of staff, without imported codes of earlier
    /// days. A busy shop issues this number of codes in some hours.
    static let staffCodesReadMax = 1_000
    /// The maximum number of steps, of ``shopActsPerStep`` events each, for one page of the list of events at a shop: about five thousand
    /// events, which take ten milliseconds.
    static let shopActStepsMax = 20
    /// The maximum number of events that one page of such a list selects or rejects by further reads, such as whether a code was used.
    static let shopActsAskedMax = 512
    /// The number of consecutive steps, of ``shopActsPerStep`` events each, that contain only events older than the requested days, and
    /// that end a list of events at a shop. These steps are about a thousand events, which take two milliseconds. More steps would find
    /// recent events before a larger import, but every list of some days at an old shop reads this number of steps.
    static let shopActOldStepsMax = 4

    /// The maximum number of events of each source that are read for one page of an account's list of changes. The sources are the
    /// account's own events, events of its shops, and notices. Reading takes about a millisecond.
    package static let changesReadMax = 256

    /// The maximum number of events about a shop's offers (of employment, or of the shop itself) that are read to find the open offers. At
    /// most a hundred are open at once, each for a week. An account may make sixty offers a day, so a week has about 940 events of offers
    /// made, ended or lapsed. The limit is higher because the count of a day's offers is lost at a restart, and older versions let an
    /// account make more. An offer of the shop itself stays until its lapse is recorded, which may be late, so the newest such offer is
    /// also read if it is older.
    static let offersReadMax = 4_096

    /// The number of events that are read at once to bring the state of pictures up to date. Reading takes about a millisecond.
    package static let pictureEventsReadMax: UInt64 = 4_096

    /// Seconds between two passes over the entries that are due, such as notices to be published. A notice appears at most this late.
    public static let duePeriodSeconds = 1.0
    /// The maximum number of commands for due entries that wait in the writer's queue at a time. In a log that is larger than the memory,
    /// such a command took some 0.2 ms, because it reads cards that were not used for long.
    static let dueCommandsAtOnce = 8
    /// The maximum number of due entries that a pass searches for notices while the clock is ahead, so that the search takes about a
    /// millisecond. A notice behind ten million cards is then found within three hours.
    package static let dueSearchedAtOnce = 1_024
    /// The pause of the scheduler after a full page of due entries, as a multiple of the time that the page took. With the factor 8 it uses
    /// a ninth of the writer's time. What its events write also keeps the disk busy, for which stamps wait longer than for the writer.
    static let dueRestFactor = 8.0
    /// The longest such pause, so that a stop of the service never waits longer.
    static let dueRestSecondsMax = 0.25

    // MARK: Live streams

    /// The maximum number of live streams that are open at the same time. Each stream costs a connection, a task and a few kilobytes.
    public static let liveStreamsMax = 10_000
    /// The maximum number of open streams of one account: enough for a phone, a tablet, a screen at the counter, and lost connections that
    /// are not closed yet.
    public static let liveStreamsPerAccountMax = 8
    /// The maximum number of events that a stream buffers for a slow reader. If there are more, the stream reads them from the log.
    public static let liveBufferedEventsMax = 64
    /// The maximum number of events that a stream reads from the log at once.
    public static let livePageEvents = 64
    /// The number of events that the streams of one account may read from the log without a pause: more than all devices of a busy shop
    /// miss in a night.
    static let liveReadEventsBurst: Int64 = 32_768
    /// The rate in events a second at which the streams of one account read further events from the log. Reading and writing that many
    /// takes a small part of one processor's time.
    static let liveReadEventsPerSecond: Int64 = 500
    /// The number of accounts whose reads are remembered, in each of two generations of a cache: about 50 bytes each.
    static let livePacedAccountsMax = 32_768
    /// The number of events that the opening of a stream reads in one piece, before it lets other tasks run.
    static let liveLoadedPageEvents = 256
    /// Seconds without an event after which a stream sends a heartbeat. This time is shorter than the idle timeout of proxies.
    public static let liveBeatSeconds: Int64 = 15
    /// Seconds between two checks of all streams, which find streams that must send a heartbeat or end, or that may read the log again.
    /// Heartbeats, ends and such reads are late by at most this time.
    static let liveLookSeconds = 1.0
}

/// The file descriptors that a service needs: some for its own files, and one for each connection.
public enum DescriptorNeeds {
    /// Descriptors reserved for the service's own files. A service that has just started has 60 open; rebuilds of models, pictures and
    /// backups need more. Pictures that are being sent take a quarter at most.
    public static let reserved = 512
    /// The number of connections below which a service is not worth starting.
    public static let connectionsMin = 128
    /// The maximum number of connections that are open at once: enough for ``Limits/liveStreamsMax`` streams and 6,000 others. An idle
    /// connection takes about 20 kB.
    public static let connectionsMax = 16_384
    /// The number of descriptors below which no service starts.
    public static let least = reserved + connectionsMin
    /// The number of descriptors with which a service accepts the maximum number of connections.
    public static let wanted = reserved + connectionsMax
}
