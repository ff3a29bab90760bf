public import Audit
public import CommandService
public import TextMessages

extension API {
    /// What the API must be told about where it runs.
    public struct Configuration: Sendable {
        /// Whether `POST /verifications` shows the code in its answer. Never on a machine that others reach: it lets anyone
        /// sign in as anyone.
        public var isDevelopment: Bool
        /// What codes and links begin with: `https://greentea.example`. Where only the bound server knows, ``API/isReached(at:)`` says so.
        public var publicURL: String
        /// What sends verification codes; without it nobody gets one but in development.
        public var messages: (any TextMessageSender)?
        /// How many text messages may leave, and to where; nil for any number, where none is sent.
        public var messageLimits: MessageLimits? = MessageLimits()
        /// How many proxies of our own stand before the service: that many entries of `X-Forwarded-For` are believed.
        public var trustedProxies = 0
        /// How many connections are kept open at once.
        public var connections = ConnectionCaps.standard
        /// Bytes of request bodies that may be in memory at once; see `BodyBudget`.
        var bodiesBytesMax = Limits.bodiesBytesMax
        /// How many requests an account and an address may send; nil for any number, which tools that measure need.
        public var requestRates: RequestRates?

        /// Whether each request is a line of the log.
        public var logsAccess: Bool

        /// What is known of the read models' agreement with the log; nil where nobody audits them.
        public var audit: (@Sendable () -> AuditStatus)?

        public init(isDevelopment: Bool, publicURL: String, logsAccess: Bool = false) {
            self.isDevelopment = isDevelopment
            self.logsAccess = logsAccess
            self.publicURL = publicURL
        }
    }
}
