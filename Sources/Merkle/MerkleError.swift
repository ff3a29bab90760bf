/// Why something is no proof, no note or no tile: what is wrong, and where.
///
/// The text may be shown to whoever handed in what was refused; it quotes none of it but numbers and key names.
public struct MerkleError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The class of the failure.
    public let code: Code
    /// What exactly is wrong, in English.
    public let detail: String

    /// An error of this layer. Public, so that a ``HashSource`` can say that a hash is missing.
    public init(_ code: Code, _ detail: String) {
        self.code = code
        self.detail = detail
    }

    /// What to do about it, in one or two sentences.
    public var remedy: String { code.kind.remedy }

    /// Code, detail and remedy in one line.
    public var description: String { "\(code): \(detail). \(remedy)" }
}
