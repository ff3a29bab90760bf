internal import EventLog
internal import ReadModels

/// What a snapshot's folder is called: where in the log it was made, of which log, and of which versions of the models.
///
/// `p000001000000-0123456789abcdef-v2.2.1`. So it can be seen from outside which are of no use any more.
struct SnapshotName: Hashable, Sendable {
    /// The models that are kept: those that answer questions about the past.
    static let models: [any Projection.Type] = [CardProgress.self, ShopRatings.self, Statistics.self]

    private static let positionDigits = 12
    private static let fingerprintDigits = 16

    let mark: ModelMark
    /// Of ``models``, in their order.
    let versions: [Int]

    init(_ mark: ModelMark) {
        (self.mark, versions) = (mark, Self.models.map { $0.schemaVersion })
    }

    var text: String {
        let position = Self.padded("\(mark.position)", Self.positionDigits)
        let fingerprint = Self.padded(String(mark.fingerprint, radix: 16), Self.fingerprintDigits)
        return "p\(position)-\(fingerprint)-v\(versions.map(String.init).joined(separator: "."))"
    }

    /// Nil for anything but the text of some name: a name has one form.
    init?(text: String) {
        let parts = text.split(separator: "-", omittingEmptySubsequences: false)
        guard parts.count == 3, parts[0].first == "p", parts[2].first == "v" else { return nil }
        guard let position = UInt64(parts[0].dropFirst()), let fingerprint = UInt64(parts[1], radix: 16) else { return nil }
        mark = ModelMark(position: Position(position), fingerprint: fingerprint)
        versions = parts[2].dropFirst().split(separator: ".", omittingEmptySubsequences: false).compactMap { Int($0) }
        guard self.text == text else { return nil }
    }

    private static func padded(_ text: String, _ digits: Int) -> String {
        String(repeating: "0", count: max(0, digits - text.count)) + text
    }
}
