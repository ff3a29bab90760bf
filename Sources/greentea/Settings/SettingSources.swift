import Configuration
import Foundation

/// The places where settings are looked for, in the one order of precedence: flags, environment, file.
struct SettingSources {
    private struct Place {
        let provider: any ConfigProvider
        /// Whether keys begin with the program's name here.
        let isPrefixed: Bool
        /// The source of a setting under one of its names.
        let source: (Setting, String) -> SettingSource
    }

    private let places: [Place]

    /// - Parameters:
    ///   - flags: what the command line says.
    ///   - file: of YAML where it ends so, else of JSON; nil for none.
    /// - Throws: `Refusal.badConfiguration` for a file that cannot be read or parsed, or has a name that is no setting.
    init(flags: [Setting: ConfigContent], environment: [String: String], file: String?) async throws {
        let values = flags.map { (Setting.key($0.rawValue, prefixed: false), ConfigValue($1, isSecret: $0.isSecret)) }
        let given = InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: values))
        // A variable that is set to nothing says nothing.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
        var places = [
            Place(provider: given, isPrefixed: false) { setting, _ in .flag(setting.flag) },
            Place(provider: variables, isPrefixed: true) { _, name in .variable(Setting.variable(name)) },
        ]
        if let file {
            places.append(Place(provider: try await Self.provider(of: file), isPrefixed: false) { _, _ in .file(file) })
        }
        self.places = places
    }

    /// The first place's value; nil where no place has one.
    ///
    /// - Throws: `Refusal.badConfiguration` for a value of another type, and for one that is given under two names.
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

    private static func value(
        of setting: Setting, named name: String, at place: Place
    ) throws -> (value: ConfigContent, source: SettingSource)? {
        let source = place.source(setting, name)
        do {
            let key = Setting.key(name, prefixed: place.isPrefixed)
            return try place.provider.value(forKey: key, type: setting.type).value.map { ($0.content, source) }
        } catch {
            // The error may quote the value, and the value may be a secret.
            throw Refusal.badConfiguration("\(setting.rawValue) (\(source))", "it must be \(noun(setting.type))")
        }
    }

    private static func provider(of file: String) async throws -> any ConfigProvider {
        let isYAML = file.hasSuffix(".yaml") || file.hasSuffix(".yml")
        let provider: any ConfigProvider
        do {
            let path = InMemoryProvider(values: [AbsoluteConfigKey(["filePath"]): ConfigValue(.string(file), isSecret: false)])
            let reader = ConfigReader(provider: path)
            provider = isYAML ? try await FileProvider<YAMLSnapshot>(config: reader) : try await FileProvider<JSONSnapshot>(config: reader)
        } catch {
            throw Refusal.badConfiguration("the configuration file \(file)", "it cannot be read, or is not well-formed")
        }
        try SettingNames(file: file).check(isYAML: isYAML)
        return provider
    }

    private static func noun(_ type: ConfigType) -> String {
        switch type {
        case .bool: "true or false"
        case .int: "a whole number"
        case .stringArray: "a list of texts"
        default: "a text"
        }
    }
}

/// The source of a setting, in words for people.
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

/// The names that a configuration file uses, held against those that are known: a misspelt one would be passed over in silence.
struct SettingNames {
    private static let known = Setting.allCases.flatMap(\.names)
    /// More letters that differ than this are another word.
    private static let differencesMax = 3

    let file: String

    /// - Parameter isYAML: else it is JSON.
    /// - Throws: `Refusal.badConfiguration` for the first name that nobody knows.
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

    /// The names in lines such as `name: value` at the left margin. Settings are not nested, so these are all names.
    private static func namesOfYAML(_ bytes: Data) -> [String] {
        String(decoding: bytes, as: UTF8.self).split(whereSeparator: \.isNewline).compactMap { line in
            guard let first = line.first, first.isLetter || "'\"_".contains(first), let colon = line.firstIndex(of: ":") else { return nil }
            return line[..<colon].trimmingCharacters(in: CharacterSet(charactersIn: " '\""))
        }
    }

    /// Letters to add, take out or exchange to get from one to the other (Levenshtein), capitals or not.
    private static func differences(_ first: String, _ second: String) -> Int {
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
