extension API {
    /// What the API must be told about where it runs.
    public struct Configuration: Sendable {
        /// Whether `POST /verifications` shows the code in its answer. Never on a machine that others reach: it lets anyone
        /// sign in as anyone.
        public var isDevelopment: Bool
        /// What codes and links begin with, without a slash at the end: `https://greentea.example`.
        public var publicURL: String

        /// Whether each request is a line of the log.
        public var logsAccess: Bool

        public init(isDevelopment: Bool, publicURL: String, logsAccess: Bool = false) {
            self.isDevelopment = isDevelopment
            self.logsAccess = logsAccess
            self.publicURL = publicURL.hasSuffix("/") ? String(publicURL.dropLast()) : publicURL
        }
    }
}
