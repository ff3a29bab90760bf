import Foundation

/// The measured figures: rows, and ratios between rows.
struct Report {
    private struct Row {
        let name: String
        let unit: String
        var figures: [Double]

        var median: Double { Report.median(figures) }
    }

    private struct Ratio {
        let name: String
        let value: Double
        let target: Double?
    }

    private var rows: [Row] = []
    private var ratios: [Ratio] = []

    mutating func add(_ name: String, _ unit: String, _ figures: [Double]) {
        rows.append(Row(name: name, unit: unit, figures: figures))
    }

    /// Adds a round's figure to the row with this name, which the first round makes.
    mutating func append(_ figure: Double, to name: String, _ unit: String) {
        if let index = rows.firstIndex(where: { $0.name == name }) {
            rows[index].figures.append(figure)
        } else {
            add(name, unit, [figure])
        }
    }

    func median(of name: String) -> Double? { rows.first { $0.name == name }?.median }

    private static func median(_ figures: [Double]) -> Double { figures.sorted()[figures.count / 2] }

    /// Does nothing if a row was not measured.
    mutating func addRatio(_ name: String, of row: String, to baseline: String, target: Double? = nil) {
        guard let row = rows.first(where: { $0.name == row }), let baseline = rows.first(where: { $0.name == baseline }) else { return }
        addRatio(name, of: row.figures, to: baseline.figures, target: target)
    }

    mutating func addRatio(_ name: String, of figures: [Double], to baseline: [Double], target: Double? = nil) {
        ratios.append(Ratio(name: name, value: Self.median(figures) / Self.median(baseline), target: target))
    }

    var text: String {
        var text = "\n"
        for row in rows {
            let figures = row.figures.sorted()
            text += Self.pad(row.name, 58) + Self.number(row.median).leftPadded(to: 12) + " " + row.unit
            text += "   (\(Self.number(figures[0])) to \(Self.number(figures[figures.count - 1])))\n"
        }
        for ratio in ratios {
            let target = ratio.target.map { "   target \($0) ×" } ?? ""
            text += Self.pad(ratio.name, 58) + String(format: "%12.2f ×", ratio.value) + target + "\n"
        }
        return text
    }

    var json: String {
        let rows = rows.map { ["name": $0.name, "unit": $0.unit, "median": $0.median, "figures": $0.figures] as [String: Any] }
        let ratios = ratios.map { ratio -> [String: Any] in
            var object: [String: Any] = ["name": ratio.name, "ratio": ratio.value]
            object["target"] = ratio.target
            return object
        }
        let object: [String: Any] = ["rows": rows, "ratios": ratios]
        guard let data = try? JSONSerialization.data(withJSONObject: object, options: [.sortedKeys]) else { return "{}\n" }
        return String(decoding: data, as: UTF8.self) + "\n"
    }

    private static func number(_ value: Double) -> String {
        var digits = String(Int(value.rounded()))
        var grouped = ""
        while digits.count > 3 {
            grouped = "," + digits.suffix(3) + grouped
            digits.removeLast(3)
        }
        return digits + grouped
    }

    private static func pad(_ text: String, _ width: Int) -> String {
        text + String(repeating: " ", count: max(1, width - text.count))
    }
}

extension String {
    fileprivate func leftPadded(to width: Int) -> String { String(repeating: " ", count: max(0, width - count)) + self }
}
