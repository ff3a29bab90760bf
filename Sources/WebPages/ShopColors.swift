public import Loyalty

/// The tones of the shops' colors, read from the style sheet, which alone states them.
public struct ShopTone: Hashable, Sendable {
    /// Red, green and blue, for light pages and paper.
    public let light: [UInt8]
    public let dark: [UInt8]

    /// Nil if the style sheet lacks the color, which a test excludes.
    public init?(of color: ShopColor) {
        guard let tone = Self.known[color] else { return nil }
        self = tone
    }

    private init?(line: Substring) {
        let tones = line.split(separator: "#").dropFirst().map { Self.bytes($0.prefix(6)) }
        guard tones.count == 2, tones.allSatisfy({ $0.count == 3 }) else { return nil }
        (light, dark) = (tones[0], tones[1])
    }

    private static let known: [ShopColor: ShopTone] = {
        let style = Asset.all[Asset.path(of: "style.css")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""
        let lines = style.split(separator: "\n")
        let tones = ShopColor.allCases.compactMap { color -> (ShopColor, ShopTone)? in
            lines.first { $0.hasPrefix(".tint-\(color.name) ") }.flatMap { ShopTone(line: $0) }.map { (color, $0) }
        }
        return Dictionary(uniqueKeysWithValues: tones)
    }()

    private static func bytes(_ hex: Substring) -> [UInt8] {
        stride(from: 0, to: hex.count - 1, by: 2).compactMap { UInt8(hex.dropFirst($0).prefix(2), radix: 16) }
    }
}

extension ShopLook {
    /// The classes by which an element shows the color, behind a space; empty without one.
    var classes: String { color.map { " tinted tint-" + $0.name } ?? "" }
}
