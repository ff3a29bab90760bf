import Configuration

/// A setting, by its name in a configuration file, from which flag and variable derive.
enum Setting: String, CaseIterable {
    case data
    case listen
    case dev
    case publicUrl
    case origin
    case acceptOlderLog
    case acceptDamagedLog
    case acceptLostKeys
    case follow
    case nodeCa
    case cluster
    case node
    case advertise
    case clusterCa
    case clusterCertificate
    case clusterKey
    case clusterUser
    case clusterPasswordFile
    case operators
    case masterKeyFile
    case masterKey
    case sms
    case smsSecretFile
    case smsSecret
    case smsCountries
    case smsPerDay
    case tlsCert
    case tlsKey
    case trustedProxies
    case allowReadableKeys
    case allowPlainHttp
    case allowPlainWebhook
    case audit
    case unlimitedRequests
    case accessLog
    case logFormat
    case logLevel
    case otlpTraces
    case traceRatio
    case mapTiles
    case mapAttribution
    case mapGrid
    case logMapGib
    case keysMapGib
    case modelMapGib

    var type: ConfigType {
        switch self {
        case .dev, .acceptOlderLog, .acceptDamagedLog, .unlimitedRequests, .accessLog, .allowReadableKeys, .allowPlainHttp,
            .allowPlainWebhook:
            .bool
        case .operators, .smsCountries: .stringArray
        case .traceRatio: .double
        case .trustedProxies, .smsPerDay, .logMapGib, .keysMapGib, .modelMapGib: .int
        default: .string
        }
    }

    /// A secret has no flag, because `ps` shows flags to other users.
    var isSecret: Bool { self == .masterKey || self == .smsSecret }

    /// Its own name, and that of its flag if that differs.
    var names: [String] {
        switch self {
        case .operators: [rawValue, "operator"]
        case .smsCountries: [rawValue, "smsCountry"]
        case .nodeCa: [rawValue, "followCa"]
        default: [rawValue]
        }
    }

    /// For example `--master-key-file`.
    var flag: String { "--" + Self.words(self == .operators || self == .smsCountries ? names[1] : rawValue, "-") }

    /// For example `GREENTEA_MASTER_KEY_FILE`.
    static func variable(_ name: String) -> String { "GREENTEA_" + words(name, "_").uppercased() }

    /// - Parameter prefixed: begins with the program's name, as for environment variables.
    static func key(_ name: String, prefixed: Bool) -> AbsoluteConfigKey { AbsoluteConfigKey(prefixed ? ["greentea", name] : [name]) }

    private static func words(_ name: String, _ separator: String) -> String {
        name.reduce(into: "") { text, letter in text += letter.isUppercase ? separator + letter.lowercased() : String(letter) }
    }
}

struct SettingFault: Error {
    let setting: Setting
    /// A clause, without a full stop.
    let reason: String

    init(_ setting: Setting, _ reason: String) { (self.setting, self.reason) = (setting, reason) }
}
