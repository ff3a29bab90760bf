/// The languages that problems are told in.
enum Language: String, Sendable {
    case english = "en"
    case chinese = "zh-Hans"

    /// What an `Accept-Language` header asks for (RFC 9110, 12.5.4): the heaviest range that we speak, the first of equals,
    /// English where there is none. Any Chinese is answered in the one that we have.
    init(accepting header: String?) {
        var best = (language: Language.english, weight: 0.0)
        for range in (header ?? "").split(separator: ",").prefix(Self.rangesMax) {
            let parts = range.split(separator: ";").map(\.trimmingSpaces)
            guard let tag = parts.first, let language = Language(tag: tag.lowercased()) else { continue }
            let weight = parts.dropFirst().first { $0.hasPrefix("q=") }.map { Double($0.dropFirst(2)) ?? 0 } ?? 1
            if weight > best.weight { best = (language, weight) }
        }
        self = best.language
    }

    /// No honest client lists more.
    private static let rangesMax = 32

    private init?(tag: String) {
        switch tag.prefix(while: { $0 != "-" }) {
        case "zh": self = .chinese
        case "en", "*": self = .english
        default: return nil
        }
    }
}
