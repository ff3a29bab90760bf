/// How often a server compares its read models with the log.
public struct AuditSchedule: Hashable, Sendable, CustomStringConvertible {
    /// Seconds from the beginning of one run to that of the next; nil for never.
    public let seconds: Int?

    /// Where nobody says.
    public static let standard = AuditSchedule(seconds: 3_600)
    /// No audit at all.
    public static let off = AuditSchedule(seconds: nil)

    private static let units = [("h", 3_600), ("m", 60), ("s", 1)]
    /// Thirty days: more is a typing mistake.
    private static let secondsMax = 30 * 86_400

    private init(seconds: Int?) { self.seconds = seconds }

    /// `every:1h`, `every:15m`, `every:30s`, of at most thirty days, or `off`; nil for anything else.
    public init?(text: String) {
        if text == "off" {
            self = .off
            return
        }
        guard text.hasPrefix("every:"), let unit = Self.units.first(where: { text.hasSuffix($0.0) }) else { return nil }
        let digits = text.dropFirst("every:".count).dropLast()
        guard digits.allSatisfy({ $0.isASCII && $0.isNumber }), let number = Int(digits), number > 0,
            number <= Self.secondsMax / unit.1
        else { return nil }
        self.init(seconds: number * unit.1)
    }

    /// As it is written.
    public var description: String {
        guard let seconds else { return "off" }
        let unit = Self.units.first { seconds % $0.1 == 0 } ?? ("s", 1)
        return "every:\(seconds / unit.1)\(unit.0)"
    }
}
