/// Where a setting comes from, as it is told to people.
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
