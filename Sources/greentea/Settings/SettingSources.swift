import Configuration
import EventLog
import Foundation

/// The sources of settings in order of precedence: flags, environment, file.
struct SettingSources {
    private struct Place {
        let provider: any ConfigProvider
        /// Keys begin with the program's name.
        let isPrefixed: Bool
        let source: (Setting, String) -> SettingSource
    }

    private let places: [Place]

    /// - Parameter file: the path, as YAML or JSON by its ending.
    /// - Throws: `Refusal.badConfiguration` if the file cannot be read or parsed, or has an unknown name.
    init(flags: [Setting: ConfigContent], environment: [String: String], file: String?) async throws {
        let values = flags.map { (Setting.key($0.rawValue, prefixed: false), ConfigValue($1, isSecret: $0.isSecret)) }
        let given = InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: values))
        // An empty variable counts as not set.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
        var places = [
            Place(provider: given, isPrefixed: false) { setting, _ in .flag(setting.flag) },
            Place(provider: variables, isPrefixed: true) { _, name in .variable(Setting.variable(name)) },
        ]
        if let file { places.append(Place(provider: try await Self.provider(of: file), isPrefixed: false) { _, _ in .file(file) }) }
        self.places = places
    }

    /// The value in the first source that has one.
    ///
    /// - Throws: `Refusal.badConfiguration` for another type, or one source with two of the setting's names.
    func lookUp(_ setting: Setting) throws -> (value: ConfigContent, source: SettingSource)? {
        for place in places {
            let found = try setting.names.compactMap { try Self.value(of: setting, named: $0, at: place) }
            guard found.count <= 1 else {
                throw Refusal.badConfiguration(
                    "\(setting.rawValue) (\(found[0].source))", "it is given twice, as \(setting.names.joined(separator: " and as "))")
            }
            if let found = found.first { return found }
        }
        return nil
    }

    /// A sentence for each value that a source of higher precedence overrules.
    func overruled(_ inForce: [Setting: SettingSource]) -> [String] {
        Setting.allCases.flatMap { setting -> [String] in
            guard let winner = inForce[setting] else { return [] }
            let all = places.flatMap { place in
                setting.names.compactMap { try? Self.value(of: setting, named: $0, at: place)?.source }
            }
            return all.filter { $0 != winner }.map { "\(setting.rawValue) is also given by \($0), and \(winner) wins" }
        }
    }

    private static func value(
        of setting: Setting, named name: String, at place: Place
    ) throws -> (value: ConfigContent, source: SettingSource)? {
        let source = place.source(setting, name)
        do {
            let key = Setting.key(name, prefixed: place.isPrefixed)
            return try place.provider.value(forKey: key, type: setting.type).value.map { ($0.content, source) }
        } catch {
            // The original error may quote a secret value.
            throw Refusal.badConfiguration("\(setting.rawValue) (\(source))", "it must be \(noun(setting.type))")
        }
    }

    private static func provider(of file: String) async throws -> any ConfigProvider {
        let isYAML = file.hasSuffix(".yaml") || file.hasSuffix(".yml")
        let provider: any ConfigProvider
        do throws(FileFault) { _ = try TextFile.text(of: file) } catch {
            throw Refusal.badConfiguration("the configuration file \(file)", "\(error)")
        }
        do {
            let path = InMemoryProvider(values: [AbsoluteConfigKey(["filePath"]): ConfigValue(.string(file), isSecret: false)])
            let reader = ConfigReader(provider: path)
            provider = isYAML ? try await FileProvider<YAMLSnapshot>(config: reader) : try await FileProvider<JSONSnapshot>(config: reader)
        } catch {
            let place = ParserFault(error).description
            throw Refusal.badConfiguration("the configuration file \(file)", "it is no well-formed \(isYAML ? "YAML" : "JSON")\(place)")
        }
        try SettingNames(file: file).check(isYAML: isYAML)
        return provider
    }

    private static func noun(_ type: ConfigType) -> String {
        switch type {
        case .bool: "true or false"
        case .int: "a whole number"
        case .double: "a number"
        case .stringArray: "a list of texts"
        default: "a text"
        }
    }
}

enum SettingSource: Equatable, CustomStringConvertible {
    case flag(String)
    case variable(String)
    case file(String)
    case standard

    var description: String {
        switch self {
        case .flag(let name): "flag \(name)"
        case .variable(let name): "environment \(name)"
        case .file(let path): "file \(path)"
        case .standard: "default"
        }
    }
}

/// Checks the names in a configuration file, because a misspelt one would be ignored silently.
struct SettingNames {
    private static let known = Setting.allCases.flatMap(\.names)
    /// Letters that may differ from a suggested setting.
    private static let differencesMax = 3

    let file: String

    /// - Parameter isYAML: otherwise JSON.
    /// - Throws: `Refusal.badConfiguration` for the first unknown name.
    func check(isYAML: Bool) throws(Refusal) {
        guard let bytes = FileManager.default.contents(atPath: file) else { return }
        let names = isYAML ? Self.namesOfYAML(bytes) : Self.namesOfJSON(bytes)
        guard let unknown = names.first(where: { !Self.known.contains($0) }) else { return }
        let nearest = Self.known.map { (name: $0, count: Self.differences($0, unknown)) }.min { $0.count < $1.count }
        let hint = nearest.flatMap { $0.count <= Self.differencesMax ? "; did you mean '\($0.name)'?" : nil }
        throw .badConfiguration(
            "the configuration file \(file)",
            "it has '\(unknown)', which is no setting" + (hint ?? "; there are \(Self.known.sorted().joined(separator: ", "))"))
    }

    private static func namesOfJSON(_ bytes: Data) -> [String] {
        ((try? JSONSerialization.jsonObject(with: bytes)) as? [String: Any])?.keys.sorted() ?? []
    }

    /// Lines such as `name: value` at the left margin, because settings are not nested.
    private static func namesOfYAML(_ bytes: Data) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, first.isLetter || "'\"_".contains(first), let colon = line.firstIndex(of: ":") else { return nil }
            return line[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: " '\""))
        }
    }

    /// The Levenshtein distance, without case.
    static func differences(_ first: String, _ second: String) -> Int {
        let (first, second) = (Array(first.lowercased()), Array(second.lowercased()))
        var row = Array(0...second.count)
        for (index, letter) in first.enumerated() {
            var diagonal = row[0]
            row[0] = index + 1
            for (place, other) in second.enumerated() {
                let exchanged = diagonal + (letter == other ? 0 : 1)
                diagonal = row[place + 1]
                row[place + 1] = min(exchanged, row[place] + 1, diagonal + 1)
            }
        }
        return row[second.count]
    }
}

/// Checks the environment variables that begin with `GREENTEA_`. A near miss of a setting is refused, because it would be ignored silently.
/// Others are reported, because a platform may set them, as Kubernetes sets `GREENTEA_SERVICE_HOST`.
struct VariableNames {
    private static let prefix = "GREENTEA_"
    private static let known = Set(Setting.allCases.flatMap(\.names).map(Setting.variable) + ["GREENTEA_CONFIG"])
    /// Letters that may differ from a setting for a refusal.
    private static let differencesMax = 2

    private let names: [String]

    init(_ environment: [String: String]) {
        names = environment.filter { $0.key.hasPrefix(Self.prefix) && !$0.value.isEmpty && !Self.known.contains($0.key) }.keys.sorted()
    }

    /// Returns the variables of no setting.
    ///
    /// - Throws: `Refusal.badConfiguration` for the first near miss.
    func strangers() throws(Refusal) -> [String] {
        for name in names {
            guard let nearest = Self.known.sorted().first(where: { Self.isMisspelt(name, of: $0) }) else { continue }
            throw .badConfiguration("the variable \(name)", "it is no setting; did you mean \(nearest)?")
        }
        return names
    }

    private static func isMisspelt(_ name: String, of known: String) -> Bool { SettingNames.differences(name, known) <= differencesMax }
}

/// A fault's position in a configuration file, without the content, which may be secret.
private struct ParserFault: CustomStringConvertible {
    /// A clause with its punctuation, the position and the cause. Without a position, it says the file's required form.
    let description: String

    init(_ error: any Error) {
        // Foundation has the position only in a debug text.
        let detail = (error as NSError).userInfo["NSDebugDescription"] as? String
        let text = detail ?? "\(error)"
        let first = text.split(separator: "\n").first.map(String.init) ?? ""
        if let match = first.firstMatch(of: /^(\d+):(\d+): error: \w+: (.*)$/) {
            // For example "3:1: error: parser: while parsing a flow sequence in line 2, column 9".
            description = ": line \(match.1), column \(match.2), \(match.3.hasSuffix(":") ? match.3.dropLast() : match.3)"
        } else if let match = first.firstMatch(of: /duplicated key\(s\): (.*)\./) {
            description = ": it has \(match.1) twice"
        } else if let match = text.firstMatch(of: /line (\d+), column (\d+)/) {
            description = ": line \(match.1), column \(match.2)"
        } else {
            description = "; it must be one table of names and values"
        }
    }
}
