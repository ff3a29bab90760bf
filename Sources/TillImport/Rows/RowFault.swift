/// Why a record is no visit.
struct RowFault: Error, Equatable {
    let reason: String

    init(_ reason: String) {
        self.reason = reason
    }
}
