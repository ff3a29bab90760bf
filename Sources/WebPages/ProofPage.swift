extension WebPage {
    /// The data with which anybody can verify the log.
    public struct LogView: Sendable {
        /// A signed note.
        public let checkpoint: String
        /// `name+id+base64`.
        public let key: String
        public let size: UInt64
        /// Nil without an auditor.
        public let audit: AuditView?

        public init(checkpoint: String, key: String, size: UInt64, audit: AuditView? = nil) {
            (self.checkpoint, self.key, self.size, self.audit) = (checkpoint, key, size, audit)
        }
    }

    /// The auditor's finding, from replaying the log and comparing the models.
    public enum AuditView: Sendable {
        /// Not every model is compared yet; no difference so far.
        case beginning
        /// Each model was compared at `through` or later.
        case equal(models: Int, through: UInt64)
        case differs([String])

        fileprivate func text(in language: PageLanguage) -> String {
            switch self {
            case .beginning: language.say(.auditBeginning)
            case .equal(let models, let position): language.say(.auditEqual, count: models, ["position": "\(position)"])
            case .differs(let names): language.say(.auditDiffers, ["models": names.joined(separator: ", ")])
            }
        }
    }

    /// The page that explains how stamps are proved. The reader's own browser verifies a receipt.
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
    /// The page with every component in every state, for developers.
    public static func style(in frame: PageFrame) -> WebPage {
        let sprite = Asset.all[Asset.path(of: "icons.svg")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""
        let icons = sprite.matches(of: #/<symbol id="(\w+)"/#).map { String($0.1) }
        return WebPage(.style, title: "Components", in: frame, fields: ["icons": icons])
    }
}
