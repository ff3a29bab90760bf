package import EventLog

/// A failed request to etcd, in words for the person who has to fix it.
///
/// Only answers that name a reason from before a change count as refusals. After any other failure, the request may have been carried out,
/// and may be at a later time.
package enum EtcdFault: Error, Hashable, Sendable {
    /// No request was sent: no connection came about.
    case notSent(String)
    /// Members answer, and none of them has a leader.
    case noMajority(String)
    /// A request was sent, and its outcome is unknown.
    case unknown(String)
    /// No request was sent: the certificate of the member, or that of this client, was refused.
    case certificate(String)
    /// The database is full. A transaction that reaches the limit gets this answer although it was carried out.
    case noSpace
    case wrongPassword
    /// etcd wants a user, and the settings have none.
    case noUser
    /// The settings have a user, and etcd does not ask for one.
    case usersDisabled
    case forbidden(user: String?)
    /// etcd checks passwords, and its gateway refuses clients whose certificate has a common name, too.
    case namedCertificate
    /// The address is not of TLS, and the settings have a password.
    case passwordInClear(String)
    /// The answer was not read to its end.
    case answerTooLong
    /// The token has expired, or the member has forgotten it.
    case badToken
    case tooLarge
    case noLease
    /// Any other definite refusal, in etcd's words.
    case refused(String)
    case refusedVersion(String)
    case badAddress(String)
    case badFile(String)

    static let withoutParts = unknown("an answer without its parts")
}

extension EtcdFault {
    /// Codes of gRPC in the body of an answer.
    private enum Code {
        static let invalidArgument = 3, notFound = 5, permissionDenied = 7, outOfRange = 11, unimplemented = 12
        static let unauthenticated = 16
    }

    /// Texts of etcd 3.4 and later, and what they mean.
    private static let texts: [(part: String, fault: EtcdFault)] = [
        ("authentication failed", .wrongPassword),
        ("database space exceeded", .noSpace), ("user name is empty", .noUser), ("authentication is not enabled", .usersDisabled),
        ("revision of auth store is old", .badToken), ("invalid auth token", .badToken), ("request is too large", .tooLarge),
        ("received message larger than max", .tooLarge), ("requested lease not found", .noLease),
    ]

    /// An answer with another status than 200.
    ///
    /// - Parameters:
    ///   - code: of gRPC; nil for an answer that is not in JSON.
    ///   - message: from anywhere, and of any length.
    init(status: Int, code: Int?, message: String, user: String?, at endpoint: String) {
        let message = String(message.prefix(Self.messageCharactersMax))
        guard let code else {
            self = message.contains("CommonName of client") ? .namedCertificate : Self.foreign(status, endpoint)
            return
        }
        let known = Self.texts.first { message.contains($0.part) }
        self = known?.fault ?? Self.fault(code, "\(endpoint): \(message)", user: user)
    }

    private static let messageCharactersMax = 200

    /// An answer that is not of etcd's gateway.
    private static func foreign(_ status: Int, _ endpoint: String) -> EtcdFault {
        .unknown("\(endpoint): status \(status)" + (status == notFoundStatus ? ", so this is not etcd's address for clients" : ""))
    }

    private static let notFoundStatus = 404

    private static func fault(_ code: Int, _ message: String, user: String?) -> EtcdFault {
        switch code {
        case Code.unauthenticated: .badToken
        case Code.permissionDenied: .forbidden(user: user)
        case Code.invalidArgument, Code.notFound, Code.outOfRange, Code.unimplemented: .refused(message)
        // Timeouts, changes of leader, too many requests. A code that is missing above may be harmless, but is not known to be.
        default: .unknown(message)
        }
    }
}

extension EtcdFault: CustomStringConvertible {
    /// Hides what may be a password.
    private static func withoutUser(_ address: String) -> String {
        if address.isEmpty { return "a comma without an address beside it" }
        return address.lastIndex(of: "@").map { "(hidden)" + address[$0...] } ?? address
    }

    /// The fault of one member, while others may answer.
    package var ofMember: String {
        switch self {
        case .notSent(let why), .unknown(let why): "a member of etcd does not answer: \(why)."
        default: description
        }
    }

    /// The fault and its remedy.
    package var description: String {
        switch self {
        case .notSent(let why):
            """
            no endpoint of etcd answers: \(why). Look whether --cluster names the members' addresses for clients, and whether they run \
            (systemctl status etcd).
            """
        case .noMajority(let why): "etcd's members do not answer with a majority: \(why). Start the missing ones (systemctl start etcd)."
        case .unknown(let why): "etcd gave no clear answer: \(why)."
        case .certificate(let why):
            """
            no TLS connection to etcd: \(why). If the member speaks http, write http:// in --cluster. Otherwise name the file of the \
            authority that signed the members' certificates, and renew certificates that have expired.
            """
        case .noSpace:
            """
            etcd's database is full (alarm NOSPACE). Raise --quota-backend-bytes on all members or remove what is not needed, then run \
            etcdctl defrag and etcdctl alarm disarm.
            """
        case .wrongPassword: "etcd refuses the user's password, or has no such user. Correct user and password."
        case .noUser: "etcd asks for a user. Name one with its password."
        case .usersDisabled: "etcd does not check passwords. Run etcdctl auth enable, or name no user."
        case .forbidden(let user):
            "etcd's user \(user ?? "") may not read and write below /greentea/. Give it a role with readwrite --prefix /greentea/."
        case .namedCertificate:
            """
            etcd's gateway refuses a client's certificate with a common name while etcd checks passwords. Issue one without a common name, \
            or run etcdctl auth disable and name no user.
            """
        case .passwordInClear(let address): "\(address): a password would be sent in clear. Use https."
        case .answerTooLong: "etcd's answer is longer than any that this program asks for. Check that the addresses are those of etcd."
        case .badToken: "etcd refuses a token that it has just made. Check that all members have the same --auth-token."
        case .tooLarge: "etcd refuses a request of this size. Start its members with --max-request-bytes 1572864, the default, or more."
        case .noLease: "etcd's lease has expired."
        case .refused(let why): "etcd refuses the request: \(why)."
        case .refusedVersion(let version):
            "etcd \(version) can lose data or has no JSON gateway. Use 3.4.32 or later, 3.5.14 or later, or 3.6."
        case .badAddress(let address):
            "\(Self.withoutUser(address)): not addresses of etcd. Name one to \(EtcdSettings.endpointsMax), such as https://10.0.0.1:2379."
        case .badFile(let path): "\(path) has no certificate or key in PEM. Check the path, its permissions and its content."
        }
    }
}

extension EventLogError {
    /// `.unreachable` where there was no answer or no clear one; `.storage` for a refusal, with its remedy.
    package init(_ fault: EtcdFault) {
        switch fault {
        case .notSent, .noMajority, .unknown, .certificate, .noSpace, .badToken, .noLease, .answerTooLong:
            self.init(.unreachable, fault.description)
        default: self.init(.storage, fault.description)
        }
    }
}
