import Configuration

/// The places where settings are looked for, in the one order of precedence: flags, environment, file.
struct SettingSources {
    private struct Place {
        let provider: any ConfigProvider
        /// Whether keys begin with the program's name here.
        let isPrefixed: Bool
        let source: (Setting) -> SettingSource
    }

    private let places: [Place]

    /// - Parameters:
    ///   - flags: what the command line says.
    ///   - file: of YAML where it ends so, else of JSON; nil for none.
    /// - Throws: `Refusal.badConfiguration` for a file that cannot be read or parsed.
    init(flags: [Setting: ConfigContent], environment: [String: String], file: String?) async throws {
        let values = flags.map { ($0.key(prefixed: false), ConfigValue($1, isSecret: $0.isSecret)) }
        let given = InMemoryProvider(name: "flags", values: Dictionary(uniqueKeysWithValues: values))
        // A variable that is set to nothing says nothing.
        let variables = EnvironmentVariablesProvider(environmentVariables: environment.filter { !$0.value.isEmpty })
        var places = [
            Place(provider: given, isPrefixed: false) { .flag($0.flag) },
            Place(provider: variables, isPrefixed: true) { .variable($0.variable) },
        ]
        if let file {
            places.append(Place(provider: try await Self.provider(of: file), isPrefixed: false) { _ in .file(file) })
        }
        self.places = places
    }

    /// The first place's value; nil where no place has one.
    ///
    /// - Throws: `Refusal.badConfiguration` for a value of another type.
    func lookUp(_ setting: Setting) throws -> (value: ConfigContent, source: SettingSource)? {
        for place in places {
            do {
                let key = setting.key(prefixed: place.isPrefixed)
                guard let value = try place.provider.value(forKey: key, type: setting.type).value else { continue }
                return (value.content, place.source(setting))
            } catch {
                // The error may quote the value, and the value may be a secret.
                throw Refusal.badConfiguration("\(setting.rawValue) (\(place.source(setting)))", "it must be \(Self.noun(setting.type))")
            }
        }
        return nil
    }

    private static func provider(of file: String) async throws -> any ConfigProvider {
        do {
            let isYAML = file.hasSuffix(".yaml") || file.hasSuffix(".yml")
            let path = InMemoryProvider(values: [AbsoluteConfigKey(["filePath"]): ConfigValue(.string(file), isSecret: false)])
            let reader = ConfigReader(provider: path)
            return isYAML ? try await FileProvider<YAMLSnapshot>(config: reader) : try await FileProvider<JSONSnapshot>(config: reader)
        } catch {
            throw Refusal.badConfiguration("the configuration file \(file)", "it cannot be read, or is not well-formed")
        }
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
