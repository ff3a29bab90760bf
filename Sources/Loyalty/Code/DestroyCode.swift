/// Withdraw an open code; owner or staff.
public struct DestroyCode: Hashable, Sendable {
    public let code: CodeID

    public init(code: CodeID) {
        self.code = code
    }
}
