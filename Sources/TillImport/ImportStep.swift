/// How far an import is.
public enum ImportStep: Hashable, Sendable {
    /// The file is being read.
    ///
    /// - Parameter of: 0 where the file does not say how long it is.
    case reading(bytes: Int, of: Int)
    /// The visits are being imported; told for the first time before the first of them.
    case playing(visits: Int, of: Int)
}
