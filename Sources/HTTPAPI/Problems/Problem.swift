import Loyalty

/// Why a request is refused, before it is put into anybody's language.
struct Problem: Error, Sendable {
    let code: ProblemCode
    /// For bad input, what is wrong with which field. The fields are JSON pointers without the first slash.
    var errors: [InvalidField] = []
    /// Seconds until it is worth trying again.
    var retryAfterSeconds: Int64?
    /// The value of `Allow`.
    var allow: String?
    /// Whether the answer ends its connection.
    var endsConnection = false
    /// For the operator's log alone. It never reaches a client.
    var internalDetail: String?

    init(
        _ code: ProblemCode, errors: [InvalidField] = [], retryAfterSeconds: Int64? = nil, allow: String? = nil,
        internalDetail: String? = nil
    ) {
        self.code = code
        self.errors = errors
        self.retryAfterSeconds = retryAfterSeconds
        self.allow = allow
        self.internalDetail = internalDetail
    }

    /// One field that is not as it must be.
    static func invalid(_ field: String, _ detail: String) -> Problem {
        Problem(.invalidRequest, errors: [InvalidField(field: field, detail: detail)])
    }
}
