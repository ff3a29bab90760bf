/// What all lanes share.
struct Ledgers: Sendable {
    let violations: Violations
    let codes: CodeLedger
    let ratings = RatingBook()
    let measurements: Measurements

    init(_ measurements: Measurements) {
        violations = Violations()
        codes = CodeLedger(violations)
        self.measurements = measurements
    }
}
