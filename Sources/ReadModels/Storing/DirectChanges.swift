/// What a model has pending that keeps nothing back: so many rows were written straight into the transaction, whose pages are held until
/// it ends.
public struct DirectChanges: Sendable {
    /// Rows written or removed since the last batch.
    var rows = 0
}
