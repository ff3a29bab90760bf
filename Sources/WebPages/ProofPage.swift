extension WebPage {
    /// The data with which anybody can verify the log.
    public struct LogView: Sendable {
        /// The newest checkpoint: a signed note.
        public let checkpoint: String
        /// The key that verifies checkpoints, as `name+id+base64`.
        public let key: String
        public let size: UInt64
        /// The finding of the server's auditor; nil for a server without one.
        public let audit: AuditView?

        public init(checkpoint: String, key: String, size: UInt64, audit: AuditView? = nil) {
            (self.checkpoint, self.key, self.size, self.audit) = (checkpoint, key, size, audit)
        }
    }

    /// The finding of the auditor, which replays the log and compares the service's models with the result.
    public enum AuditView: Sendable {
        /// The auditor has not compared every model yet, and has found no difference.
        case beginning
        /// All models agree with the log. `models` is their number, and each was compared at the position `through` or a later one.
        case equal(models: Int, through: UInt64)
        /// The models that differ from the log, by name.
        case differs([String])

        fileprivate func text(in language: PageLanguage) -> String {
            switch self {
            case .beginning: language.say(.auditBeginning)
            case .equal(let models, let position): language.say(.auditEqual, count: models, ["position": "\(position)"])
            case .differs(let names): language.say(.auditDiffers, ["models": names.joined(separator: ", ")])
            }
        }
    }

    /// The page that explains how stamps are proved. It shows the checkpoint and the key. Its reader can choose a receipt, which the
    /// reader's own browser verifies.
    public static func proof(_ log: LogView, in frame: PageFrame) -> WebPage {
        let language = frame.language
        var isWrong = false
        if case .differs? = log.audit { isWrong = true }
        return WebPage(
            .proof, title: language.say(.proofTitle), in: frame, script: .proof,
            preview: LinkPreview(description: language.say(.proofLead), url: frame.publicURL + "/proof"),
            fields: [
                "checkpoint": log.checkpoint, "key": log.key, "events": language.say(.eventCount, count: Int(clamping: log.size)),
                "audit": log.audit?.text(in: language) ?? "", "hasAudit": log.audit != nil, "isWrong": isWrong,
            ])
    }
}

extension WebPage {
    /// The page that shows every component in every state, for developers of pages.
    public static func style(in frame: PageFrame) -> WebPage {
        let sprite = Asset.all[Asset.path(of: "icons.svg")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""
        let icons = sprite.matches(of: #/<symbol id="(\w+)"/#).map { String($0.1) }
        return WebPage(.style, title: "Components", in: frame, fields: ["icons": icons])
    }
}
