/// Why a rules file cannot be used: where in it, and what is wrong there.
public struct RulesError: Error, Hashable, Sendable, CustomStringConvertible {
    /// JSON Pointer (RFC 6901) of the value; empty for the file as a whole.
    public let place: String
    /// What is wrong, and what may stand there.
    public let detail: String

    init(_ place: String, _ detail: String) {
        (self.place, self.detail) = (place, detail)
    }

    public var description: String { place.isEmpty ? "the rules file \(detail)" : "the rules file, at \(place): \(detail)" }
}
