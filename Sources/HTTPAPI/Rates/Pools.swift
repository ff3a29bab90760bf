import Caches
import CommandService

/// The shared pools, queues and caches of the HTTP API, also listed in `Fixtures/pools.md`. A shared pool is too large for ten accounts to
/// fill an address's share, or displaces its largest holder, so ten accounts at one address cannot close a pool for an eleventh.
enum Pools: String, CaseIterable {
    // Bytes and slots
    case bodies, pictureBodies, nodeBodies, pictures, pictureFiles, exports, sheets, reports, shopReports, searches, sameKeys
    case forwarded, forwardedSlowly, connections
    // Queues
    case sheetThread, reportThread, reportLine, slowLane, laneThread, whatIfQueue, waitingTries
    // Kept answers
    case whatIfAnswers, sessionAnswers, refreshAnswers
    // Caches and counts, whose loss costs work alone
    case tokens, sightings, renderedPages, siteMaps, rates, openings, failures, hashes

    var terms: PoolTerms {
        switch self {
        case .bodies: Self.bodies(bytes: Limits.bodiesBytesMax)
        case .pictureBodies: Self.pictureBodies(bytes: Limits.picturesBytesMax)
        case .nodeBodies:
            PoolTerms(
                "bytes that nodes send for themselves", in: [Self.file("Connections/BodyBudget")], capacity: Limits.nodeBodiesBytesMax,
                displaced: .nobody, test: "CrowdedBodyTests.nodes", reason: "clients have none of it, and a node sends file by file")
        case .pictures:
            Self.slots(
                "pictures and photos that are received", in: "Rates/Slots", Limits.imagesReceivedMax, Limits.imagesReceivedPerAccountMax,
                .slowest)
        case .pictureFiles:
            PoolTerms(
                "pictures' files that stay open", in: [Self.file("Rates/Slots")], capacity: Limits.pictureFilesOpenMax,
                perAddress: Limits.pictureFilesOpenPerAddressMax, displaced: .nobody,
                test: "SlowClientTests.slowPicture", reason: "without a slot, the file is opened again for each piece")
        case .exports:
            Self.slots(
                "exports that are written", in: "Rates/Slots", Limits.exportsAtOnceMax, 1, .slowest,
                perSecond: Limits.exportBytesPerSecondMin, test: "ExportWritingTests.unread")
        case .sheets: Self.slots("sheets that are drawn or wait", in: "Rates/Slots", Limits.sheetsAtOnceMax, 1, .nobody)
        case .reports: Self.slots("reports on several shops that are made or wait", in: "Rates/Slots", Limits.reportsAtOnceMax, 1, .nobody)
        case .shopReports:
            Self.slots(
                "reports on one shop that are made or wait", in: "Rates/Slots", Limits.shopReportsAtOnceMax,
                Limits.shopReportsPerAccountMax, .nobody)
        case .searches:
            PoolTerms(
                "searches", in: [Self.file("Rates/Slots")], capacity: Limits.searchesAtOnceMax, perAccount: Limits.searchesPerAccountMax,
                perAddress: Limits.searchesPerAddressMax, displaced: .nobody, test: "PoolTableTests.tenAccounts",
                reason: "a search ends in milliseconds")
        case .sameKeys:
            Self.slots(
                "requests that wait for one with their idempotency key", in: "Gate/RequestTurns", Limits.sameKeyWaitingMax,
                Limits.sameKeyWaitingPerAccountMax, .nobody)
        case .forwarded:
            Self.slots(
                "requests that wait for the writing node", in: "Gate/WriteProxy", Limits.forwardedMax, Limits.forwardedPerAccountMax,
                .nobody)
        case .forwardedSlowly:
            Self.slots(
                "slow requests that wait for the writing node", in: "Gate/WriteProxy", Limits.forwardedSlowlyMax,
                Limits.forwardedSlowlyPerAccountMax, .nobody)
        case .connections:
            PoolTerms(
                "connections", in: [Self.file("Connections/ConnectionCaps")], capacity: DescriptorNeeds.connectionsMax,
                perAddress: Limits.connectionsPerAddressMax, displaced: .nobody, test: "ConnectionCapTests.counts",
                reason: "a connection without a request is closed after a time")
        case .sheetThread: Self.thread("sheets that wait for the thread", in: ["Cards/PaperRoutes", "Rates/Slots"], Limits.sheetsAtOnceMax)
        case .reportThread:
            Self.thread(
                "reports that wait for the thread", in: ["Shops/StatisticsRoutes", "Rates/Slots"],
                Limits.reportsAtOnceMax + Limits.shopReportsAtOnceMax)
        case .reportLine: Self.thread("reports on several shops that wait to be begun", in: ["Rates/Slots"], Limits.reportsAtOnceMax)
        case .slowLane:
            Self.slots(
                "requests of clients that read much lately", in: "Rates/RateMiddleware", Limits.slowLaneMax, Limits.slowLanePerAccountMax,
                .nobody
            )
        case .laneThread:
            Self.thread(
                "steps of these requests", in: ["Rates/RateMiddleware", "Rates/Slots"], Limits.slowLaneStepsMax, test: "ShopWorkTests.turns"
            )
        case .waitingTries:
            PoolTerms(
                "tries that wait for others with their key", in: [Self.file("Rates/Budgets")],
                capacity: DescriptorNeeds.connectionsMax * Limits.unansweredMax, displaced: .nobody, test: "FailureBudgetTests.together",
                reason: "one for an open request, of which connections have few; keys do not wait for each other")
        case .whatIfQueue: Self.slots("what-if questions that wait", in: "Pages/WhatIf/WhatIfJobs", Limits.whatIfWaitingMax, 1, .newest)
        case .whatIfAnswers:
            Self.slots(
                "answers to what-if questions", in: "Pages/WhatIf/WhatIfJobs", Limits.whatIfKeptMax, Limits.whatIfKeptPerAccountMax,
                .oldest,
                test: "WhatIfJobsTests.ownFirst")
        case .sessionAnswers, .refreshAnswers:
            Self.slots(
                "answers to sign-ins and refreshes", in: "Accounts/SessionAnswers", Limits.sessionAnswersMax,
                Limits.sessionAnswersPerHolderMax, .oldest)
        case .tokens: .cache("verified tokens", in: [Self.file("Gate/TokenCache")], capacity: Limits.cachedTokensMax)
        case .sightings: .cache("devices of sessions", in: [Self.file("Gate/Gate")], capacity: Limits.sightedSessionsMax)
        case .renderedPages: .cache("public pages", in: [Self.file("Pages/RenderedPages")], capacity: Limits.renderedPagesMax)
        case .siteMaps: .cache("site maps", in: [Self.file("Pages/HomeRoutes")], capacity: 2)
        case .rates:
            .cache("rates", in: [Self.file("Rates/RateLimiter")], capacity: Limits.ratedKeysMax, reason: "one entry for a client")
        case .openings:
            .cache(
                "rates of new connections", in: [Self.file("Connections/ConnectionCaps")], capacity: Limits.ratedKeysMax,
                reason: "one entry for an address")
        case .failures:
            .cache(
                "failures of a key", in: [Self.file("Rates/Budgets")], capacity: Limits.budgetedKeysMax,
                reason: "one entry for an account, a number or an address, which the rates of addresses bound")
        case .hashes:
            .cache(
                "hashes of a client", in: [Self.file("Rates/Budgets")], capacity: Limits.budgetedKeysMax,
                reason: "one entry for a client; strangers and holders have hashes of their own")
        }
    }

    static func bodies(bytes: Int) -> PoolTerms {
        PoolTerms(
            "bytes of bodies", in: [file("Connections/BodyBudget")], capacity: bytes, perAddress: bytes / 2, displaced: .slowest,
            perSecond: Limits.contestedBytesPerSecondMin, window: Limits.contestedWindowMicroseconds, test: "CrowdedBodyTests.uploads")
    }

    static func pictureBodies(bytes: Int) -> PoolTerms {
        PoolTerms(
            "bytes of pictures and photos", in: [file("Connections/BodyBudget")], capacity: bytes, perAddress: bytes / 2,
            displaced: .slowest, perSecond: Limits.contestedBytesPerSecondMin, window: Limits.contestedWindowMicroseconds,
            test: "CrowdedBodyTests.uploads")
    }

    /// One address may take half.
    private static func slots(
        _ holds: String, in name: String, _ capacity: Int, _ perAccount: Int, _ displaced: PoolTerms.Displaced, perSecond: Int? = nil,
        test: String = "PoolTableTests.tenAccounts"
    ) -> PoolTerms {
        PoolTerms(
            holds, in: [file(name)], capacity: capacity, perAccount: perAccount, perAddress: capacity / 2, displaced: displaced,
            perSecond: perSecond, test: test)
    }

    /// Slots bound the work.
    private static func thread(_ holds: String, in names: [String], _ capacity: Int, test: String = "SharedPoolTests.turns") -> PoolTerms {
        PoolTerms(
            holds, in: names.map(file), capacity: capacity, displaced: .nobody, test: test,
            reason: "clients have turns; their slots bound the work")
    }

    private static func file(_ name: String) -> String { "HTTPAPI/\(name).swift" }
}
