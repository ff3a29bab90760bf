public import TextMessages

extension API {
    /// What the API must be told about where it runs.
    public struct Configuration: Sendable {
        /// Whether `POST /verifications` shows the code in its answer. Never on a machine that others reach: it lets anyone
        /// sign in as anyone.
        public var isDevelopment: Bool
        /// What codes and links begin with, without a slash at the end: `https://greentea.example`.
        public var publicURL: String
        /// What sends verification codes; without it nobody gets one but in development.
        public var messages: (any TextMessageSender)?
        /// How many proxies of our own stand before the service: that many entries of `X-Forwarded-For` are believed.
        public var trustedProxies = 0

        public init(isDevelopment: Bool, publicURL: String) {
            self.isDevelopment = isDevelopment
            self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        }
    }
}
