/// Writes an SVG document with escaped text and a style for dark pages, without scripts and references.
struct SVGText {
    private(set) var text = ""

    init(width: Double, height: Double, _ labels: ChartLabels) {
        let (w, h) = (ChartNumber.text(width), ChartNumber.text(height))
        text += #"<svg xmlns="http://www.w3.org/2000/svg" width="\#(w)" height="\#(h)" viewBox="0 0 \#(w) \#(h)" role="img" "#
        text += #"aria-labelledby="title desc" font-family="sans-serif" font-size="12" fill="\#(ChartColors.ink)">"# + "\n"
        text += "<title id=\"title\">\(Self.escaped(labels.title))</title>\n"
        text += "<desc id=\"desc\">\(Self.escaped(labels.description))</desc>\n"
        text += "<style>\(ChartColors.darkStyle)</style>\n"
        rectangle(x: 0, y: 0, width: width, height: height, fill: ChartColors.ground)
    }

    /// - Parameter says: a tooltip.
    mutating func rectangle(x: Double, y: Double, width: Double, height: Double, fill: String, says: String? = nil) {
        let numbers = [("x", x), ("y", y), ("width", width), ("height", height)]
        element("rect", numbers, #" fill="\#(fill)""#, content: says.map { "<title>\(Self.escaped($0))</title>" })
    }

    mutating func line(x1: Double, y1: Double, x2: Double, y2: Double, stroke: String) {
        element("line", [("x1", x1), ("y1", y1), ("x2", x2), ("y2", y2)], #" stroke="\#(stroke)""#)
    }

    /// - Parameter data: in SVG's syntax.
    mutating func path(_ data: String, attributes: String) { text += #"<path d="\#(data)" \#(attributes)/>"# + "\n" }

    mutating func circle(x: Double, y: Double, radius: Double, fill: String) {
        element("circle", [("cx", x), ("cy", y), ("r", radius)], #" fill="\#(fill)""#)
    }

    /// - Parameters:
    ///   - anchor: start, middle or end.
    ///   - turned: rotated to run upwards.
    mutating func words(
        _ words: String, x: Double, y: Double, anchor: String = "start", size: Double = 12, bold: Bool = false, turned: Bool = false
    ) {
        let (px, py) = (ChartNumber.text(x), ChartNumber.text(y))
        text += #"<text x="\#(px)" y="\#(py)" text-anchor="\#(anchor)""#
        if size != 12 { text += #" font-size="\#(ChartNumber.text(size))""# }
        if bold { text += #" font-weight="bold""# }
        if turned { text += #" transform="rotate(-90 \#(px) \#(py))""# }
        text += ">\(Self.escaped(words))</text>\n"
    }

    func finished() -> String { text + "</svg>\n" }

    private mutating func element(_ name: String, _ numbers: [(String, Double)], _ rest: String, content: String? = nil) {
        text += "<\(name)"
        for (name, value) in numbers { text += #" \#(name)="\#(ChartNumber.text(value))""# }
        text += content.map { "\(rest)>\($0)</\(name)>\n" } ?? "\(rest)/>\n"
    }

    /// Characters that XML forbids are omitted.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "\t", "\n", "\r": escaped += " "
            case "\u{0}"..."\u{1F}", "\u{FFFE}", "\u{FFFF}": continue
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}

/// Numbers as text, the same on every machine: without locale and exponent.
enum ChartNumber {
    private static let powers = [1.0, 10, 100, 1_000, 10_000]
    /// A `Double` represents every integer up to this exactly; larger magnitudes are cut to it.
    private static let largest = 9e15

    /// 0 to 4 decimals, without trailing zeros; `0` for NaN and infinite numbers.
    static func text(_ value: Double, decimals: Int = 2) -> String {
        guard value.isFinite else { return "0" }
        let power = powers[min(max(0, decimals), powers.count - 1)]
        let scaled = min(max((value * power).rounded(), -largest), largest)
        let (whole, rest) = Int64(scaled.magnitude).quotientAndRemainder(dividingBy: Int64(power))
        var text = String(whole)
        if rest > 0 {
            let digits = String(rest)
            let zeros = String(repeating: "0", count: String(Int64(power)).count - 1 - digits.count)
            text += "." + (zeros + digits).replacingTrailingZeros()
        }
        return scaled < 0 ? "-" + text : text
    }

    /// Abbreviated from 10,000 on, such as `15 k` or `20 M`.
    static func short(_ value: Double) -> String {
        switch value.magnitude {
        case 1e9...: text(value / 1e9, decimals: 1) + " G"
        case 1e6...: text(value / 1e6, decimals: 1) + " M"
        case 1e4...: text(value / 1e3, decimals: 1) + " k"
        default: text(value)
        }
    }
}

extension String {
    fileprivate func replacingTrailingZeros() -> String {
        var digits = Substring(self)
        while digits.last == "0" { digits.removeLast() }
        return String(digits)
    }
}
