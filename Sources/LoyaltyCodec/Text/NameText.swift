import Foundation

extension String {
    /// The form in which a text that names something is stored and compared: without white space of any script and invisible characters at
    /// its ends, and in Unicode's normalization form NFC. Otherwise two names that look alike would be two customers or two shops.
    ///
    /// Stored events keep the names that they have. A retry of a request is recognised by the text as it was sent, so the form is made
    /// after the request's mark. `Spellings` finds what older versions imported under another spelling.
    /// A text that has nothing visible becomes empty.
    ///
    /// - Complexity: linear in the length of the text.
    package var asName: String {
        var rest = self[...]
        while rest.first?.isBlank == true { rest.removeFirst() }
        while rest.last?.isBlank == true { rest.removeLast() }
        return String(rest).precomposedStringWithCanonicalMapping
    }
}

extension Character {
    /// Whether the character is only white space or invisible. A joiner or variation selector after a visible character belongs to it.
    fileprivate var isBlank: Bool {
        unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint }
    }
}
