import ArgumentParser
import Audit
import CommandService
import Composition
import Configuration
import Logging
import ServiceLog

/// The flags of `serve` and `config`; see `Setting` for variables and files.
struct ServiceFlags: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "A file of settings, JSON or YAML by its ending; or GREENTEA_CONFIG.",
            discussion: "Each flag has a variable and a name in the file: --public-url, GREENTEA_PUBLIC_URL, publicUrl. Flags win over "
                + "variables, variables over the file; a name that is no setting is refused.", valueName: "file"))
    var config: String?

    @Option(help: "The data folder; created if it does not exist.")
    var data: String?

    @Option(help: "Address and port to listen on, such as 127.0.0.1:8080 or [::1]:0. (default: 127.0.0.1:8080)")
    var listen: ListenAddress?

    @Flag(help: "Development mode: no text messages, its own master key, loopback only.")
    var dev = false

    @Option(help: "The URL with which scanned codes and shared links begin; by default the address.")
    var publicURL: String?

    @Option(
        help: ArgumentHelp(
            "The log's permanent name in its checkpoints: the URL that it is served under, without scheme and trailing slash.",
            discussion: "Given at the first start; without it the log gets a name of its own.", valueName: "name"))
    var origin: String?

    @Flag(
        help: ArgumentHelp(
            "Serve a log that is not the one its last checkpoint was signed for; the checkpoint is set aside under a dated name.",
            discussion: "The events that the checkpoint covers and this log lacks are lost for good, and receipts for them prove nothing "
                + "any more. For one start, after a restore."))
    var acceptOlderLog = false

    @Flag(
        help: ArgumentHelp(
            "Start with damaged pages in the log, and accept events behind damage that is found while serving.",
            discussion: "No backup takes events behind damage, so those are lost with the folder, and a request that meets the damage may "
                + "end the process. For the hours until a restore."))
    var acceptDamagedLog = false

    @Option(
        help: ArgumentHelp(
            "Serve a log whose keys are gone, for good: the word must be \(ServiceConfiguration.lostKeysWord).",
            discussion: "Names, phones, reviews and messages of everybody stay unreadable, nobody can sign in to an account from before, "
                + "and everybody registers anew. The checkpoint is set aside if it holds in the log. For one start, and only as a flag.",
            valueName: "word"))
    var acceptLostKeys: String?

    @Option(
        help: ArgumentHelp(
            "The URL of a server whose log this one copies, to answer reads and to take its place; such as https://tea-1.example.",
            discussion: "The data folder must be restored from that server's backup, keys and pictures included, and the master key is the "
                + "same. Writes go to that server. To take its place, stop it for good, and start this one without the flag.",
            valueName: "url"))
    var follow: String?

    @Option(
        name: [.customLong("node-ca"), .customLong("follow-ca")],
        help: ArgumentHelp("The certificates (PEM) by which other servers are known; by default the system's.", valueName: "file"))
    var nodeCA: String?

    @OptionGroup var cluster: ClusterFlags

    @Option(
        name: .customLong("operator"),
        help: ArgumentHelp("The phone of an operator, such as +8613800000000; may be given several times.", valueName: "phone"),
        transform: Self.phone)
    var operators: [E164Number] = []

    @Option(help: ArgumentHelp("The file with the master key (`greentea key new`); or GREENTEA_MASTER_KEY.", valueName: "file"))
    var masterKeyFile: String?

    @Option(help: ArgumentHelp("The carrier of text messages: a webhook or a file.", valueName: "webhook:URL|file:PATH"))
    var sms: String?

    @Option(help: ArgumentHelp("The file with the secret that signs messages to a webhook; or GREENTEA_SMS_SECRET.", valueName: "file"))
    var smsSecretFile: String?

    @Option(
        name: .customLong("sms-country"),
        help: ArgumentHelp(
            "The prefix of numbers that codes are sent to, such as +86; may be given several times. (default: all countries)",
            valueName: "prefix"),
        transform: Self.prefix)
    var smsCountries: [String] = []

    @Option(
        help: ArgumentHelp(
            "How many codes may be sent in a day. (default: 10000)",
            discussion: "As many again are kept for numbers that signed in from the same network lately: strangers cannot use up all.",
            valueName: "number"))
    var smsPerDay: Int?

    @Option(help: ArgumentHelp("The certificate chain (PEM) to serve HTTPS with.", valueName: "file"))
    var tlsCert: String?

    @Option(help: ArgumentHelp("The certificate's private key (PEM).", valueName: "file"))
    var tlsKey: String?

    @Option(
        help: ArgumentHelp(
            "The number of your own proxies in front of the service, for X-Forwarded-For and traceparent.", valueName: "number"))
    var trustedProxies: Int?

    @Flag(help: "Take a master key, a TLS key or the webhook's secret from a file that others than its owner can read.")
    var allowReadableKeys = false

    @Flag(help: "Serve HTTP without TLS on an address that other machines can reach: in a container or a network of your own.")
    var allowPlainHTTP = false

    @Flag(help: "Send text messages over http:// to another machine.")
    var allowPlainWebhook = false

    @Option(
        help: ArgumentHelp(
            "How often the read models are compared with the log, in the background. (default: every:1h)",
            discussion: "A model that differs turns /readyz red; its log line names the first event that went wrong.",
            valueName: "every:1h|off"),
        transform: Self.schedule)
    var audit: AuditSchedule?

    @Flag(help: "Any number of requests and connections for an account and an address: to measure, or behind a proxy. So does --dev.")
    var unlimitedRequests = false

    @Flag(help: "Log each request: route, status and duration, never who or what.")
    var accessLog = false

    @Option(
        help: ArgumentHelp(
            "The form of the log on standard error: for people, or one JSON object a line. (default: text)", valueName: "text|json"),
        transform: LogSettings.format)
    var logFormat: LogFormat?

    @Option(
        help: ArgumentHelp(
            "The lowest level that is logged: trace, debug, info, notice, warning, error or critical. (default: info)", valueName: "level"),
        transform: LogSettings.level)
    var logLevel: Logger.Level?

    @Option(
        help: ArgumentHelp(
            "Send traces to this collector by OTLP over HTTP: https, or http on this machine. (default: none)",
            discussion: "Spans request, queue, decide, flush and settle, without anything about anybody. Without a path, /v1/traces.",
            valueName: "url"))
    var otlpTraces: String?

    @Option(
        help: ArgumentHelp(
            "The fraction of the traces begun here that is sent, 0 to 1. (default: 1)",
            discussion: "With --trusted-proxies, a request with a traceparent is sent as that says; without, traceparent is ignored.",
            valueName: "number"))
    var traceRatio: Double?

    @Option(
        help: ArgumentHelp(
            "The address of map tiles for pages, with {z}, {x} and {y}. (default: no map, distances and directions instead)",
            discussion: "Browsers that show the map fetch them, once somebody asks for it. Needs --map-attribution.", valueName: "url"))
    var mapTiles: String?

    @Option(
        help: ArgumentHelp(
            "The credit line of that map, such as '© OpenStreetMap contributors https://osm.org/copyright'.", valueName: "text"))
    var mapAttribution: String?

    @Option(help: ArgumentHelp("The grid of those tiles: world, or china for maps on GCJ-02. (default: world)", valueName: "grid"))
    var mapGrid: String?

    @Option(
        help: ArgumentHelp(
            "How large the log may grow, in GiB. (default: 256)",
            discussion: "Address space is reserved for it, neither memory nor disk. At 70 percent the log and /readyz warn.",
            valueName: "number"))
    var logMapGib: Int?

    @Option(help: ArgumentHelp("How large the store of data keys may grow, in GiB. (default: 64)", valueName: "number"))
    var keysMapGib: Int?

    @Option(help: ArgumentHelp("How large each read model may grow, in GiB. (default: 64)", valueName: "number"))
    var modelMapGib: Int?

    /// The settings that flags give. A flag that is absent gives none, so that variables and the file decide.
    var values: [Setting: ConfigContent] {
        var values: [Setting: ConfigContent] = [:]
        let texts: [(Setting, String?)] =
            [
                (.data, data), (.listen, listen?.description), (.publicUrl, publicURL), (.origin, origin), (.masterKeyFile, masterKeyFile),
                (.sms, sms), (.smsSecretFile, smsSecretFile), (.tlsCert, tlsCert), (.tlsKey, tlsKey), (.audit, audit?.description),
                (.acceptLostKeys, acceptLostKeys), (.follow, follow), (.nodeCa, nodeCA), (.logFormat, logFormat?.rawValue),
                (.logLevel, logLevel?.rawValue), (.otlpTraces, otlpTraces), (.mapTiles, mapTiles), (.mapAttribution, mapAttribution),
                (.mapGrid, mapGrid),
            ] + cluster.texts
        for (setting, text) in texts { values[setting] = text.map { .string($0) } }
        let switches = [
            (Setting.dev, dev), (.acceptOlderLog, acceptOlderLog), (.acceptDamagedLog, acceptDamagedLog),
            (.unlimitedRequests, unlimitedRequests), (.accessLog, accessLog), (.allowReadableKeys, allowReadableKeys),
            (.allowPlainHttp, allowPlainHTTP), (.allowPlainWebhook, allowPlainWebhook),
        ]
        for (setting, isOn) in switches where isOn { values[setting] = .bool(true) }
        if !operators.isEmpty { values[.operators] = .stringArray(operators.map(\.text)) }
        if !smsCountries.isEmpty { values[.smsCountries] = .stringArray(smsCountries) }
        values[.traceRatio] = traceRatio.map { .double($0) }
        let numbers: [(Setting, Int?)] = [
            (.smsPerDay, smsPerDay), (.trustedProxies, trustedProxies), (.logMapGib, logMapGib), (.keysMapGib, keysMapGib),
            (.modelMapGib, modelMapGib),
        ]
        for (setting, number) in numbers { values[setting] = number.map { .int($0) } }
        return values
    }

    private static func schedule(_ text: String) throws -> AuditSchedule {
        try parsed(text, or: "is no schedule: write every:1h, every:15m, every:30s or off.") { AuditSchedule(text: $0) }
    }

    private static func prefix(_ text: String) throws -> String {
        try parsed(text, or: "is no beginning of a telephone number such as +86.") { MessageLimits.isPrefix($0) ? $0 : nil }
    }

    private static func phone(_ text: String) throws -> E164Number {
        try parsed(text, or: "is no telephone number such as +8613800000000.") { E164Number(meaning: $0) }
    }
}
