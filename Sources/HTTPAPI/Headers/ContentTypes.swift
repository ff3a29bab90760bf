/// The media types that this API speaks.
enum ContentTypes {
    static let json = "application/json"
    static let problem = "application/problem+json"
    /// Signed notes: checkpoints and receipts.
    static let note = "text/plain; charset=utf-8"
    /// Pages for people.
    static let html = "text/html; charset=utf-8"
    /// Tiles.
    static let bytes = "application/octet-stream"

    /// Whether a `Content-Type` says JSON in UTF-8. Parameters but a foreign `charset` do not matter.
    static func isJSON(_ value: String) -> Bool {
        // The one spelling that every client sends, without splitting.
        if value == json { return true }
        let parts = value.split(separator: ";").map { $0.trimmingSpaces.lowercased() }
        guard parts.first == json else { return false }
        return parts.dropFirst().allSatisfy { !$0.hasPrefix("charset=") || ["charset=utf-8", "charset=\"utf-8\""].contains($0) }
    }
}

extension Substring {
    /// Without spaces and tabs at either end.
    var trimmingSpaces: Substring {
        let start = firstIndex { !$0.isHeaderSpace } ?? endIndex
        let end = lastIndex { !$0.isHeaderSpace }.map { index(after: $0) } ?? start
        return self[start..<end]
    }
}

extension Character {
    fileprivate var isHeaderSpace: Bool { self == " " || self == "\t" }
}
