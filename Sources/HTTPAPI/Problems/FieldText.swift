/// What is wrong with one field, in the language of the one who asked.
///
/// The layers below complain in English, each where it knows the rule; here is the one place that knows other languages. A test holds
/// every complaint that any test brings about against the phrases.
struct FieldText {
    let text: String

    init(_ complaint: String, in language: Language) {
        switch language {
        case .english: text = complaint
        // A new complaint is told as it is, rather than not at all.
        case .chinese: text = Self.chinese(complaint) ?? complaint
        }
    }

    /// The complaint in Chinese; nil where no phrase fits it.
    static func chinese(_ complaint: String) -> String? {
        for phrase in FieldPhrase.all {
            if let values = phrase.values(in: complaint) { return phrase.chinese(with: values) }
        }
        return nil
    }
}
