internal import Foundation

/// A file that pages load, embedded from `Assets/` by `Tools/embed`. Most addresses contain a hash of the content, so browsers may keep the
/// file for ever. Fixed addresses, which other programs know, are compared by `ETag`.
public struct Asset: Sendable {
    /// For example `style.css`.
    let name: String
    /// For example `/assets/style.0123456789abcdef.css`.
    public let path: String
    public let contentType: String
    /// The quoted hash of the uncompressed content (a strong validator, RFC 9110, 8.8.3).
    public let entityTag: String
    public let packedEntityTag: String
    public let plain: [UInt8]
    /// By gzip; nil if that is not smaller, or for kinds that are not compressed.
    public let packed: [UInt8]?

    /// For the generated table, with the content in base64.
    init(name: String, path: String, contentType: String, hash: String, plain: String, packed: String?) {
        (self.name, self.path, self.contentType) = (name, path, contentType)
        (entityTag, packedEntityTag) = ("\"\(hash)\"", "\"\(hash)-gzip\"")
        self.plain = Self.bytes(plain)
        self.packed = packed.map(Self.bytes)
    }

    public var isFixed: Bool { !path.hasPrefix(Self.folder) }

    /// The folder of all addresses with a hash.
    public static let folder = "/assets/"

    public static let all: [String: Asset] = Dictionary(uniqueKeysWithValues: embedded.map { ($0.path, $0) })

    private static let paths = Dictionary(uniqueKeysWithValues: embedded.map { ($0.name, $0.path) })

    /// Empty for an unknown name.
    static func path(of name: String) -> String { paths[name] ?? "" }

    private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }
}

extension Script {
    var path: String { Asset.path(of: rawValue) }
}
