extension WebPage {
    /// The data by which anybody can verify the log.
    public struct LogView: Sendable {
        /// The newest checkpoint: a signed note.
        public let checkpoint: String
        /// The key that verifies checkpoints: `name+id+base64`.
        public let key: String
        public let size: UInt64

        public init(checkpoint: String, key: String, size: UInt64) {
            (self.checkpoint, self.key, self.size) = (checkpoint, key, size)
        }
    }

    /// How stamps are proved: the checkpoint, the key, and a field for a receipt, which the reader's own browser verifies.
    public static func proof(_ log: LogView, in frame: PageFrame) -> WebPage {
        let language = frame.language
        return WebPage(
            .proof, title: language.say(.proofTitle), in: frame, script: .proof,
            preview: LinkPreview(description: language.say(.proofLead), url: frame.publicURL + "/proof"),
            fields: [
                "checkpoint": log.checkpoint, "key": log.key, "events": language.say(.eventCount, count: Int(clamping: log.size)),
            ])
    }
}

extension WebPage {
    /// Every component in every state, for developers of pages.
    public static func style(in frame: PageFrame) -> WebPage {
        let sprite = Asset.all[Asset.path(of: "icons.svg")].map { String(decoding: $0.plain, as: UTF8.self) } ?? ""
        let icons = sprite.matches(of: #/<symbol id="(\w+)"/#).map { String($0.1) }
        return WebPage(.style, title: "Components", in: frame, fields: ["icons": icons])
    }
}
