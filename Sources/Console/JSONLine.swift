internal import Foundation

/// One JSON object on one line, with its members in the order of their names.
public enum JSONLine {
    /// The text of an object. Members without a value are left out.
    public static func text(_ members: [String: Any?]) -> String {
        let options: JSONSerialization.WritingOptions = [.sortedKeys, .withoutEscapingSlashes]
        guard let data = try? JSONSerialization.data(withJSONObject: object(members), options: options) else { return "{}" }
        return String(decoding: data, as: UTF8.self)
    }

    /// An object inside another one, without the members that have no value.
    public static func object(_ members: [String: Any?]) -> [String: Any] { members.compactMapValues(\.self) }

    /// Ranges as pairs of their first and last number.
    public static func ranges(_ ranges: [ClosedRange<UInt64>]) -> [[UInt64]] { ranges.map { [$0.lowerBound, $0.upperBound] } }

    /// A number, or null.
    public static func orNull(_ number: Double?) -> Any { number ?? NSNull() }
}
