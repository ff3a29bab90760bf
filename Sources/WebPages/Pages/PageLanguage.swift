/// The languages that pages are written in. The raw value is what HTML calls it.
public enum PageLanguage: String, Sendable, CaseIterable {
    case english = "en"
    case chinese = "zh-Hans"

    /// The words of the language that it is.
    func say(_ english: String, _ chinese: String) -> String {
        self == .english ? english : chinese
    }
}
