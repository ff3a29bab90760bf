/// Why the generator cannot go on.
public enum LoadError: Error, CustomStringConvertible {
    /// The connection ended before its answer did.
    case disconnected
    /// No answer within the named time.
    case timedOut(String)
    /// An answer that the generator needs to go on.
    case unexpected(request: String, status: Int, body: String)
    /// It is no development server, so nobody can sign in.
    case notInDevelopment
    /// No sign-in code for a phone came into the file that was named.
    case noCode(phone: String, file: String)

    public var description: String {
        switch self {
        case .disconnected: "the server closed the connection before its answer"
        case .timedOut(let request): "no answer to \(request) within \(Limits.answerSecondsMax) s"
        case .unexpected(let request, let status, let body): "\(request) was answered with \(status): \(body)"
        case .notInDevelopment:
            "the answer to POST /v1/verifications has no devCode: use a server with --dev, or --codes"
        case .noCode(let phone, let file):
            "no sign-in code for \(phone) came into \(file); name the file of the server's --sms"
        }
    }
}
