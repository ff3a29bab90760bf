package import Caches
import EventLog
import LMDB

/// The shared pools and caches of `CommandService` and the service's own caches; see `PoolTerms`.
package enum ServicePools: String, CaseIterable {
    // Pools that clients share
    case passwords, liveStreams, messages, writerQueue, readers
    // Caches and counts, whose loss costs work alone
    case livePace, idleRequests, entities, signInKeys, codes, dataKeys, ownWrites, freshSessions

    package var terms: PoolTerms {
        switch self {
        case .passwords:
            PoolTerms(
                "passwords that wait to be hashed", in: ["CommandService/SignIn/PasswordHasher.swift"],
                capacity: Limits.passwordsWaitingMax, perAddress: Limits.passwordsWaitingMax / 2, displaced: .newest,
                test: "PasswordHasherTests.crowd")
        case .liveStreams:
            PoolTerms(
                "live streams", in: ["CommandService/Streams/LiveHub.swift"], capacity: Limits.liveStreamsMax,
                perAccount: Limits.liveStreamsPerAccountMax, displaced: .nobody, test: "LiveHubTests.theStreamsOfAnAccountAreLimited",
                reason: "an address has a tenth as many connections")
        case .messages:
            PoolTerms(
                "text messages of a day", in: ["CommandService/SignIn/MessageCaps.swift"], capacity: Limits.messagesPerDay,
                perAddress: Limits.messagesPerNetwork, displaced: .nobody, test: "MessageCapsTests.networks",
                reason: "known networks have messages of their own")
        case .writerQueue:
            PoolTerms(
                "commands that wait for the writer", in: ["EventLog/Writer/CommitPipeline.swift"], capacity: LogLimits.waitingRequestsMax,
                displaced: .nobody, test: "CommitPipelineTests.aFullQueueRefusesAndKeepsNothingOfTheRefused",
                reason: "the whole queue is a wait of 80 ms, and each account's rate bounds its commands")
        case .readers:
            PoolTerms(
                "reads of one database at once", in: ["LMDB/Environment/Environment.swift", "LMDB/Environment/Readers.swift"],
                capacity: Environment.Options().maxReaders, displaced: .nobody, test: "TransactionTests.readersFullAtTheLimit",
                reason: "threads read, of which there are far fewer, and a read takes milliseconds")
        case .livePace:
            .cache(
                "rates of streams' reads", in: ["CommandService/Streams/LivePace.swift"], capacity: Limits.livePacedAccountsMax,
                reason: "one entry for an account")
        case .idleRequests:
            .cache(
                "keys of requests without an effect", in: ["CommandService/Writer/IdleRequests.swift"], capacity: Limits.idleRequestsMax,
                reason: "a repetition has no effect either")
        case .entities:
            .cache("entities that the writer reads", in: ["CommandService/Writer/HotPast.swift"], capacity: Limits.cachedEntitiesMax)
        case .signInKeys:
            .cache(
                "numbers and networks of sign-ins",
                in: ["CommandService/SignIn/Verifications.swift", "CommandService/SignIn/Allowances.swift"],
                capacity: Limits.signInKeysMax, reason: "one entry for a number or a network, which guesses per network bound")
        case .codes:
            .cache(
                "codes of messages that are valid", in: ["CommandService/SignIn/Verifications.swift"], capacity: Verifications.pendingMax,
                reason: "one for a message, which messages of a day bound")
        case .dataKeys: .cache("accounts' data keys", in: ["CommandService/Keys/KeyStore.swift"], capacity: Limits.cachedEntitiesMax)
        case .ownWrites:
            .cache(
                "positions of accounts' last writes", in: ["Composition/OwnWrites.swift"], capacity: Limits.ownWritesMax,
                reason: "one entry for an account")
        case .freshSessions:
            .cache(
                "sessions that began with a code", in: ["Composition/GreenTea.swift"], capacity: Limits.freshSessionsMax,
                reason: "one entry for a sign-in by message, which messages per network bound")
        }
    }
}
