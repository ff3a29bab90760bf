import Configuration

/// A setting. The raw value is its name in a configuration file; its flag and environment variable are derived from it.
enum Setting: String, CaseIterable {
    case data
    case listen
    case dev
    case publicUrl
    case origin
    case acceptOlderLog
    case acceptDamagedLog
    case acceptLostKeys
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

    /// The type of the setting's value.
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

    /// Whether the value is secret. A secret has no flag, because `ps` shows flags to other users.
    var isSecret: Bool { self == .masterKey || self == .smsSecret }

    /// The names that a configuration file may use for the setting: its own name, and the name of its flag if that differs.
    var names: [String] {
        switch self {
        case .operators: [rawValue, "operator"]
        case .smsCountries: [rawValue, "smsCountry"]
        default: [rawValue]
        }
    }

    /// The command-line flag, such as `--master-key-file`.
    var flag: String { "--" + Self.words(self == .operators || self == .smsCountries ? names[1] : rawValue, "-") }

    /// The environment variable for one of ``names``, for example `GREENTEA_MASTER_KEY_FILE` for `masterKeyFile`.
    static func variable(_ name: String) -> String { "GREENTEA_" + words(name, "_").uppercased() }

    /// The key under which a source of settings has one of ``names``. If `prefixed` is true, as for environment variables, the key begins
    /// with the program's name.
    static func key(_ name: String, prefixed: Bool) -> AbsoluteConfigKey {
        AbsoluteConfigKey(prefixed ? ["greentea", name] : [name])
    }

    private static func words(_ name: String, _ separator: String) -> String {
        name.reduce(into: "") { text, letter in text += letter.isUppercase ? separator + letter.lowercased() : String(letter) }
    }
}

/// The fault of a setting's value.
struct SettingFault: Error {
    let setting: Setting
    /// The reason why the value is refused, as a clause, without a full stop.
    let reason: String

    init(_ setting: Setting, _ reason: String) {
        (self.setting, self.reason) = (setting, reason)
    }
}
