/// Collects everything that is wrong with a command, so that whoever fills in a form hears it all at once.
struct FieldChecks {
    private var invalid: [InvalidField] = []

    mutating func require(_ condition: Bool, _ field: String, _ detail: @autoclosure () -> String) {
        if !condition { invalid.append(InvalidField(field: field, detail: detail())) }
    }

    mutating func require(_ value: Int, in range: ClosedRange<Int>, _ field: String) {
        require(range.contains(value), field, "must be \(range.lowerBound) to \(range.upperBound)")
    }

    mutating func require(_ text: String, within limit: TextLimit, _ field: String) {
        if let complaint = limit.complaint(about: text) { invalid.append(InvalidField(field: field, detail: complaint)) }
    }

    /// - Throws: `.invalid` with every complaint so far, in the order of the checks.
    func verdict() throws(Rejection) {
        guard invalid.isEmpty else { throw .invalid(invalid) }
    }
}
