import Charts
import ReadModels
import WebPages

/// The words of the page of numbers in one language, as tables and charts need them.
struct NumbersWords {
    let language: PageLanguage

    func callAsFunction(_ word: Word, count: Int? = nil, _ values: [String: String] = [:]) -> String {
        language.say(word, count: count, values)
    }

    /// A date as tables show it, such as `2026-11-25`.
    static func date(_ day: Int) -> String { FullDate.text(day) }

    /// A date as charts show it under a bar, such as `11-25`.
    static func shortDate(_ day: Int) -> String { String(FullDate.text(day).dropFirst(5)) }

    /// The labels of a chart; its title is also its description.
    ///
    /// - Parameters:
    ///   - x: the label under the horizontal axis.
    ///   - y: the label beside the vertical axis.
    func labels(_ title: String, x: String, y: String) -> ChartLabels {
        ChartLabels(title: title, description: says(title), x: x, y: y)
    }

    func says(_ title: String) -> String { language.say(.numbersChartSays, ["title": title]) }
}
