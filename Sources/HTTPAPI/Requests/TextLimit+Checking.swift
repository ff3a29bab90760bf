import Loyalty

extension TextLimit {
    /// Texts that are sealed on the way to the log can be judged before that only.
    ///
    /// - Throws: `invalidRequest` for the field.
    func check(_ text: String, _ field: String) throws(Problem) {
        if let complaint = complaint(about: text) { throw Problem.invalid(field, complaint) }
    }
}
