import Configuration

/// The places where settings are looked for, in the one order of precedence: flags, environment, file.
struct SettingSources {
    private struct Place {
        let provider: any ConfigProvider
        /// Whether keys begin with the program's name here.
        let isPrefixed: Bool
        /// Of a setting under one of its names.
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
