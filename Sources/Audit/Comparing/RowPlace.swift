/// Where a row of a model stands.
struct RowPlace: Hashable, Sendable {
    /// Index of its table among the model's.
    let table: Int
    /// As it is stored.
    let key: [UInt8]
}
