/// The limits of this layer, each with its unit and reason.
public enum Limits {
    /// Entities of one kind kept in the writer's memory, per generation of its cache (there are two).
    public static let cachedEntitiesMax = 65_536
    /// Shops whose list of campaigns is in the writer's memory, per generation: at most 16 kB each.
    static let cachedShopListsMax = 1_024
    /// Accounts whose stamps of one capped campaign the writer keeps, in each of two generations: a kilobyte each at most.
    static let cachedGainListsMax = 8_192
    /// Accounts whose favourites the writer keeps, in each of two generations.
    static let cachedFavoriteListsMax = 256
    /// Time zones that the writer keeps, in each of two generations. The IANA names some 600.
    static let cachedZonesMax = 512
    /// Accounts whose open sessions the writer keeps, per generation: some 2 kB each.
    static let cachedSessionListsMax = 1_024
    /// Bytes of a key store up to which destroying a key copies the whole store. That is some 10,000 accounts and takes a few hundredths of
    /// a second, in which all requests for keys wait. In a larger store the key's bytes are zeroed in place.
    public static let copiedBytesMax = 1 << 20
    /// How often one phone may be erased and registered again: each time adds one look-up to every sign-in with it.
    public static let phoneGenerationsMax: UInt32 = 1_000
    /// How often a registration begins anew because the number's account is erased meanwhile.
    package static let registrationTriesMax = 100
    /// Passwords hashed at once: each takes 128 MiB and a core for some tenths of a second. One core is always left to requests; on a
    /// machine with a single core the kernel shares it.
    static func passwordsAtOnce(cores: Int) -> Int { max(1, cores - 1) }
    /// The niceness of a thread that hashes: requests go before it. If they leave it no time, hashes end late, and those that wait longer
    /// than ``passwordWaitSecondsMax`` are refused. Stamps are more important than sign-ins by password.
    static let passwordNiceness: Int32 = 19
    /// Passwords that may wait to be hashed before more are refused: about three seconds' work for one thread.
    static let passwordsWaitingMax = 8
    /// Seconds after which a waiting password is no longer hashed, because its sender has probably given up.
    static let passwordWaitSecondsMax: Int64 = 5
    /// Seconds of a day, over which messages and guesses are counted.
    static let daySeconds: Int64 = 86_400
    /// How long a number is claimed for an account that nobody has registered: ninety days after the newest stamp. Cards that shops
    /// stamped for the number wait so long for the person who verifies it; later the number may be somebody else's.
    package static let waitingSeconds: Int64 = 90 * 86_400
    /// Seconds for which a session that began by text message shows that its holder has the account's phone.
    package static let freshSessionSeconds: Int64 = 600
    /// Such sessions in memory, per generation: some 50 bytes each.
    package static let freshSessionsMax = 32_768
    /// Seconds between two messages with the same code: a network's delay is over by then.
    static let messagePauseSeconds: Int64 = 60
    /// Messages a day to one number: a person with a few devices and a bad connection. This applies once to networks where the number is
    /// known, and once to all others.
    static let messagesPerNumber = 8
    /// Messages a day to one number from one network where it is unknown, so that no single network uses up a number's messages.
    static let messagesPerNumberAndNetwork = 4
    /// Messages a day from one network to numbers that are unknown there: a mobile carrier has thousands of phones behind a /24.
    static let messagesPerNetwork = 200
    /// Default of messages a day in total; as many again for numbers on networks where they are known.
    public static let messagesPerDay = 10_000
    /// Networks that count as askers of one code. ``Verifications`` calculates why this limit and the next ones suffice.
    static let askersMax = 3
    /// Networks remembered for each number that signed in: at home, and on the way.
    static let knownNetworksMax = 2
    /// Wrong codes of one unknown network for each code.
    static let strangerTriesMax = 3
    /// Wrong codes a day for one number from all unknown networks together.
    static let strangerGuessesPerNumber = 100
    /// Wrong codes of one network for numbers for which it is neither an asker nor known.
    static let strangerGuessesPerNetwork = Allowance(30, perSeconds: 600)
    /// Wrong codes an hour from all networks until the breaker opens: 5 % of twenty thousand sign-ins.
    static let wrongCodesPerHour = 1_000
    /// Tries of one network while the breaker is open.
    static let slowTries = Allowance(5, perSeconds: 25)
    /// Wrong codes of an asker for each code while the breaker is open.
    static let slowAskerTriesMax = 1
    /// Numbers or networks in each generation of a table: some 50 bytes each.
    static let signInKeysMax = 32_768
    /// How often another code is derived after a collision. Two collisions in a row already have a probability of 10⁻¹⁰.
    public static let codeAttemptsMax = 8
    /// Seconds that a report waits for its model to show the newest events; then it shows what there is.
    package static let catchUpSecondsMax = 2.0
    /// Accounts whose last write is remembered, per generation: some 50 bytes each. Models are behind by fractions of a second, in which so
    /// many accounts do not write.
    package static let ownWritesMax = 65_536
    /// Microseconds that the newest event may be ahead of the clock and still hold back time: a clock set right after a small
    /// error. A larger lead is a mistake in the log that must not make every code expire.
    public static let clockLeadMicrosecondsMax: Int64 = 60_000_000

    /// Accepted requests without an effect whose keys the writer remembers, per generation: six words each, plus the overhead of a
    /// dictionary.
    static let idleRequestsMax = 65_536
    /// Seconds for which they are remembered: a day, longer than any client retries.
    static let idleRequestSeconds: Int64 = 86_400
    /// How often an edit that names no version is sealed anew because somebody else edited the shop meanwhile.
    package static let editAttemptsMax = 4
    /// Seconds until it is tried again to destroy the key of an erased account; twice as long each time, up to the most.
    package static let erasureRetrySeconds = 1.0
    package static let erasureRetrySecondsMax = 60.0

    /// Hirings of one account that are read to find where it works. Each was the account's own act, so only the account itself can have
    /// made them many.
    static let hiringsReadMax = 1_000
    /// Events that one step of a list of a shop's acts reads.
    static let shopActsPerStep = 256
    /// The newest codes of a shop that are read to count each member's open ones: a busy shop's last hours.
    static let staffCodesReadMax = 1_000
    /// Steps that one page of such a list reads: about five thousand events, some ten milliseconds.
    static let shopActStepsMax = 20

    /// Events of an account, and notices to its audiences, that one page of changes reads: about a millisecond.
    package static let changesReadMax = 256

    /// Offers of a shop and their ends that are read to find the open ones. At most a hundred are open at once, each for a week. An account
    /// makes sixty a day, so a week's offers and their ends are 940. The limit is higher because a restart forgets how many were made, and
    /// older programs let an account make more.
    static let offersReadMax = 4_096

    /// Events that are read at once to know what became of pictures since the last time: about a millisecond.
    package static let pictureEventsReadMax: UInt64 = 4_096

    /// Seconds between two passes over due things: a notice appears at most that late.
    public static let duePeriodSeconds = 1.0
    /// Commands for due things that wait in the writer's queue at a time: a thirty-second of what one commit answers, so that a stamp waits
    /// for at most a millisecond of them.
    static let dueCommandsAtOnce = 32

    // MARK: Live

    /// Streams open at once: each costs a connection, a task and a few kilobytes.
    public static let liveStreamsMax = 10_000
    /// Streams of one account: its phone, its tablet, the screen at the counter, and those of lost connections.
    public static let liveStreamsPerAccountMax = 8
    /// Events buffered for a slow reader; beyond that, the stream reads the log itself.
    public static let liveBufferedEventsMax = 64
    /// Events that a stream reads from the log at once.
    public static let livePageEvents = 64
    /// Seconds without an event after which a stream sends a heartbeat: less than the idle timeout of proxies.
    public static let liveBeatSeconds: Int64 = 15
    /// Seconds between two checks of all streams for heartbeats and ends: both are late by this at most.
    static let liveLookSeconds = 1.0
}

/// The descriptors that a service needs: some for its own files, and one for each connection.
public enum DescriptorNeeds {
    /// Kept for the service's own files. A fresh one has 60 open; models that are rebuilt, pictures and backups want more.
    public static let reserved = 512
    /// Connections below which it is not worth starting.
    public static let connectionsMin = 128
    /// Connections open at once: as many live streams as there may be, and half as many others. An idle one takes about 20 kB.
    public static let connectionsMax = 16_384
    /// Below these no service starts.
    public static let least = reserved + connectionsMin
    /// From these on a service takes as many connections as it can.
    public static let wanted = reserved + connectionsMax
}
