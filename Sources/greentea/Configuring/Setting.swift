import Configuration

/// One thing that can be configured. The raw value is its name in a configuration file; flag and environment variable follow from it.
enum Setting: String, CaseIterable {
    case data
    case listen
    case dev
    case publicUrl
    case origin
    case acceptOlderLog
    case operators
    case masterKeyFile
    case masterKey
    case sms
    case smsSecretFile
    case smsSecret
    case tlsCert
    case tlsKey
    case trustedProxies
    case audit
    case unlimitedRequests

    /// What its value is.
    var type: ConfigType {
        switch self {
        case .dev, .acceptOlderLog, .unlimitedRequests: .bool
        case .operators: .stringArray
        case .trustedProxies: .int
        default: .string
        }
    }

    /// A value that nobody may read over somebody's shoulder: it has no flag, since other people's `ps` shows those.
    var isSecret: Bool { self == .masterKey || self == .smsSecret }

    /// `GREENTEA_MASTER_KEY_FILE`
    var variable: String { "GREENTEA_" + words("_").uppercased() }

    /// `--master-key-file`
    var flag: String { self == .operators ? "--operator" : "--" + words("-") }

    /// Its key in the providers of environment variables, which begins with the program's name, and in all others.
    func key(prefixed: Bool) -> AbsoluteConfigKey {
        AbsoluteConfigKey(prefixed ? ["greentea", rawValue] : [rawValue])
    }

    private func words(_ separator: String) -> String {
        rawValue.reduce(into: "") { text, letter in text += letter.isUppercase ? separator + letter.lowercased() : String(letter) }
    }
}
