import Foundation

extension String {
    /// The form in which names are stored and compared: NFC, without blank or invisible ends. Otherwise two names that look alike would be
    /// two customers or two shops.
    ///
    /// A retry is recognised by the text as sent, so the form is made after the request's mark. `Spellings` finds older imports under
    /// another spelling.
    package var asName: String {
        var rest = self[...]
        while rest.first?.isBlank == true { rest.removeFirst() }
        while rest.last?.isBlank == true { rest.removeLast() }
        return String(rest).precomposedStringWithCanonicalMapping
    }
}

extension Character {
    /// A joiner or variation selector after a visible character belongs to it.
    fileprivate var isBlank: Bool { unicodeScalars.allSatisfy { $0.properties.isWhitespace || $0.properties.isDefaultIgnorableCodePoint } }
}
