import Charts
import ReadModels
import WebPages

/// The words of the page of numbers in one language.
struct NumbersWords {
    let language: PageLanguage

    func callAsFunction(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        language.say(word, count: count, values)
    }

    /// For example `2026-11-25`.
    static func date(_ day: Int) -> String { FullDate.text(day) }

    /// For example `11-25`.
    static func shortDate(_ day: Int) -> String { String(FullDate.text(day).dropFirst(5)) }

    /// The title is also the description.
    func labels(_ title: String, x: String, y: String) -> ChartLabels {
        ChartLabels(title: title, description: says(title), x: x, y: y)
    }

    func columns(_ columns: (Word, NumbersSection.Kind)...) -> [NumbersSection.Column] { columns.map { .init(self($0), $1) } }

    /// - Parameter draw: a chart with these labels, as SVG.
    func picture(_ title: Word, x: Word, y: Word, _ draw: (ChartLabels) -> String) -> NumbersSection.Picture {
        let title = self(title)
        return .init(svg: draw(labels(title, x: self(x), y: self(y))), says: says(title))
    }

    func says(_ title: String) -> String { language.say(.numbersChartSays, ["title": title]) }
}
