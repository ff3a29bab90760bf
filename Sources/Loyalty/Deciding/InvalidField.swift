/// One field of a command that is not as it must be.
public struct InvalidField: Hashable, Sendable {
    /// The field's name in the command, which is also its name in the API (`goal`, `startsAt`, `location`).
    public let field: String
    /// What is wrong, for a developer, in English: "must be 1 to 50".
    public let detail: String

    public init(field: String, detail: String) {
        self.field = field
        self.detail = detail
    }
}
