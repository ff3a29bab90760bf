import Loyalty

/// That a code is on its way; the same whether or not the phone is known.
struct VerificationAnswer: JSONWritable {
    let expiresAt: Instant
    /// The code itself, in development alone.
    let devCode: String?

    func write(to json: inout JSONWriter) {
        json.object {
            $0.field("expiresAt", expiresAt)
            if let devCode { $0.field("devCode", devCode) }
        }
    }
}
