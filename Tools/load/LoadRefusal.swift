import NIOPosix

/// Why a run could not be made, or not to its end; each says what to do.
enum LoadRefusal: Error, CustomStringConvertible {
    case noServer(String)
    case notStarted(String)
    case unreachable(String)
    case broken(address: String, reason: String)

    /// Of what a run against an address has thrown.
    init(_ error: any Error, at address: String) {
        self = error is NIOConnectionError ? .unreachable(address) : .broken(address: address, reason: "\(error)")
    }

    var description: String {
        switch self {
        case .noServer(let path): "there is no \(path): build it, name it with --greentea, or name a running server with --url."
        case .notStarted(let path): "the server did not start; try `\(path) serve --dev --data FOLDER` by hand."
        case .unreachable(let address):
            "nobody answers at \(address): start `greentea serve --dev` there, name another with --url, or leave --url out for a server of "
                + "this program's own."
        case .broken(let address, let reason):
            "the run against \(address) could not be completed: \(reason). Look at the server's log; nothing was found out about its rules."
        }
    }
}
