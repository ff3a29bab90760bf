internal import Loyalty

/// One well-formed row in 24 bytes; what it names is looked up in the `VisitHistory`.
struct Visit: Equatable {
    let microseconds: Int64
    /// Its place among the customers; `none` for a row without one.
    let customer: Int32
    let shop: Int32
    let line: UInt32

    /// Stands for the customer of a row without one.
    static let none: Int32 = -1

    var time: Instant { Instant(microseconds: microseconds) }
}
