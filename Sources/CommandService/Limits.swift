/// The limits of this layer, each with its unit and reason.
public enum Limits {
    /// Entities of one kind kept in the writer's memory, per generation of its cache (there are two).
    public static let cachedEntitiesMax = 65_536
    /// Shops whose list of campaigns is kept in the writer's memory, per generation: 16 kB each where they are as many as may be.
    static let cachedShopListsMax = 1_024
    /// Accounts whose stamps of one capped campaign the writer keeps, in each of two generations: a kilobyte each at most.
    static let cachedGainListsMax = 8_192
    /// Accounts whose favourites the writer keeps, in each of two generations.
    static let cachedFavoriteListsMax = 256
    /// Time zones that the writer keeps, in each of two generations. The IANA names some 600.
    static let cachedZonesMax = 512
    /// Accounts whose open sessions the writer keeps, per generation: some 2 kB each.
    static let cachedSessionListsMax = 1_024
    /// Bytes of a key store that is copied anew when a key in it is destroyed: some 10,000 accounts, a few hundredths of a second, for
    /// which everybody waits who asks for a key. In a larger one the key's bytes are zeroed where they lie.
    public static let copiedBytesMax = 1 << 20
    /// How often one phone may be erased and registered anew: each time is one look-up more at every sign-in with it.
    public static let phoneGenerationsMax: UInt32 = 1_000
    /// How often a registration begins anew because the number's account is erased meanwhile.
    static let registrationTriesMax = 100
    /// Passwords hashed at once: each takes 128 MiB and a core for some tenths of a second. One core is always left to requests; on a
    /// machine with a single core the kernel shares it.
    static func passwordsAtOnce(cores: Int) -> Int { max(1, cores - 1) }
    /// The niceness of a thread that hashes: a request that becomes ready goes before it. Where nobody leaves it any time, hashes end late
    /// and those that wait longer than ``passwordWaitSecondsMax`` are refused: stamps come before sign-ins by password.
    static let passwordNiceness: Int32 = 19
    /// Passwords that wait to be hashed, before more are refused: about three seconds' work for one thread.
    static let passwordsWaitingMax = 8
    /// Seconds after which a waiting password is no longer hashed: its sender has given up or will.
    static let passwordWaitSecondsMax: Int64 = 5
    /// Seconds of a day, over which messages and guesses are counted.
    static let daySeconds: Int64 = 86_400
    /// How long a number is claimed for an account that nobody has registered: ninety days after the newest stamp. Cards that shops
    /// stamped for the number wait so long for the person who verifies it; later the number may be somebody else's.
    static let waitingSeconds: Int64 = 90 * 86_400
    /// Seconds for which a session that began by text message shows that its holder has the account's phone.
    static let freshSessionSeconds: Int64 = 600
    /// Such sessions in memory, per generation: some 50 bytes each.
    static let freshSessionsMax = 32_768
    /// Seconds between two messages with the same code: a network's delay is over by then.
    static let messagePauseSeconds: Int64 = 60
    /// Messages a day to one number: a person with a few devices and a bad connection. Once for networks where the number is known and
    /// once for all others.
    static let messagesPerNumber = 8
    /// Messages a day to one number from one network where it is not known, so that no network alone uses up a number's messages.
    static let messagesPerNumberAndNetwork = 4
    /// Messages a day from one network to numbers that are not known there: a mobile carrier puts thousands of phones behind a /24.
    static let messagesPerNetwork = 200
    /// Messages a day in total, where nobody says otherwise; as many again for numbers on networks where they are known.
    public static let messagesPerDay = 10_000
    /// At most this many networks count as askers of one code. ``Verifications`` calculates why this limit and the next ones are enough.
    static let askersMax = 3
    /// Networks remembered for each number that signed in: at home, and on the way.
    static let knownNetworksMax = 2
    /// Wrong codes of one strange network for each code.
    static let strangerTriesMax = 3
    /// Wrong codes a day for one number, of all strangers together.
    static let strangerGuessesPerNumber = 100
    /// Wrong codes of one network for numbers that it neither asked for nor is known to.
    static let strangerGuessesPerNetwork = Allowance(30, perSeconds: 600)
    /// Wrong codes an hour, of everybody, until the breaker opens: 5 % of twenty thousand sign-ins.
    static let wrongCodesPerHour = 1_000
    /// Tries of one network while the breaker is open.
    static let slowTries = Allowance(5, perSeconds: 25)
    /// Wrong codes of an asker for each code while the breaker is open.
    static let slowAskerTriesMax = 1
    /// Numbers or networks in each generation of a table: some 50 bytes each.
    static let signInKeysMax = 32_768
    /// How often another code is derived after a collision. Two in a row are already a one in 10¹⁰ event.
    public static let codeAttemptsMax = 8
    /// Seconds that a report waits for its model to show the newest events; then it shows what there is.
    static let catchUpSecondsMax = 2.0
    /// Accounts whose last write is remembered, per generation: some 50 bytes each. Models are behind by fractions of a second, in which so
    /// many accounts do not write.
    static let ownWritesMax = 65_536
    /// Microseconds that the newest event may be ahead of the clock and still hold back time: a clock set right after a small
    /// error. A larger lead is a mistake in the log that must not make every code expire.
    public static let clockLeadMicrosecondsMax: Int64 = 60_000_000

    /// Requests that were accepted and changed nothing, whose keys the writer remembers, per generation: six words each and what a
    /// dictionary adds.
    static let idleRequestsMax = 65_536
    /// Seconds for which it does: a day, which is longer than anybody retries.
    static let idleRequestSeconds: Int64 = 86_400
    /// How often an edit that names no version is sealed anew because somebody else edited the shop meanwhile.
    static let editAttemptsMax = 4
    /// Seconds until it is tried again to destroy the key of an erased account; twice as long each time, up to the most.
    static let erasureRetrySeconds = 1.0
    static let erasureRetrySecondsMax = 60.0

    /// Hirings of one account that are looked through for where it works: each was its own act, so only it can have made them many.
    static let hiringsReadMax = 1_000
    /// Events that one step of a list of a shop's acts reads.
    static let shopActsPerStep = 256
    /// The newest codes of a shop that are read to count the open ones of each member: a busy shop's last hours.
    static let staffCodesReadMax = 1_000
    /// Steps of one page of such a list: about five thousand events, some ten milliseconds.
    static let shopActStepsMax = 20

    /// Events of an account, and notices to its audiences, that one page of changes reads: about a millisecond.
    static let changesReadMax = 256

    /// Offers of a shop and their ends that are read to know which are open. At most a hundred are open at once, each for a week, and
    /// an account makes sixty a day: those of a week and their ends are 940. More are read because a restart forgets how many were made,
    /// and older programs let an account make more.
    static let offersReadMax = 4_096

    /// Events that are read at once to know what became of pictures since the last time: about a millisecond.
    static let pictureEventsReadMax: UInt64 = 4_096

    /// Seconds between two looks at what is due: a notice appears at most so late.
    public static let duePeriodSeconds = 1.0
    /// Commands for what is due that wait in the writer's queue at a time: a thirty-second of what one commit answers, so that a stamp
    /// waits for a millisecond of them at most.
    static let dueCommandsAtOnce = 32

    // MARK: Live

    /// Streams open at once: each costs a connection, a task and a few kilobytes.
    public static let liveStreamsMax = 10_000
    /// Streams of one account: its phone, its tablet, the screen at the counter, and what a lost connection has left behind.
    public static let liveStreamsPerAccountMax = 8
    /// Events held for a stream whose reader is slow; then it reads the log for itself.
    public static let liveBufferedEventsMax = 64
    /// Events that a stream reads from the log at once.
    public static let livePageEvents = 64
    /// Seconds without an event after which a stream says that it is still there: less than what proxies wait for.
    public static let liveBeatSeconds: Int64 = 15
    /// Seconds between two looks at who needs a beat or has to go: both are late by this at most.
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
