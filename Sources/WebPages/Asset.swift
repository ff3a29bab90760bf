internal import Foundation

/// A file that pages load: a style sheet, a script, icons. `Tools/embed` puts the files of `Assets/` into the program.
///
/// The address of most files contains a hash of the content, so a browser may keep the file for ever. A few addresses are fixed, such as
/// the service worker's, because other programs know them. Browsers request such files repeatedly, and compare their `ETag`.
public struct Asset: Sendable {
    /// The name in `Assets/`, such as `style.css`.
    let name: String
    /// The address, such as `/assets/style.0123456789abcdef.css`.
    public let path: String
    public let contentType: String
    /// The `ETag` of the uncompressed content (a strong validator of RFC 9110, 8.8.3): its hash in quotation marks. The compressed content
    /// has its own `ETag`.
    public let entityTag: String
    public let packedEntityTag: String
    public let plain: [UInt8]
    /// The content compressed by gzip; nil if that is not smaller, or if files of this kind are not compressed, such as pictures.
    public let packed: [UInt8]?

    /// Creates an asset. The generated table calls this, with the content in base64.
    init(name: String, path: String, contentType: String, hash: String, plain: String, packed: String?) {
        (self.name, self.path, self.contentType) = (name, path, contentType)
        (entityTag, packedEntityTag) = ("\"\(hash)\"", "\"\(hash)-gzip\"")
        self.plain = Self.bytes(plain)
        self.packed = packed.map(Self.bytes)
    }

    /// Whether the address stays the same when the content changes.
    public var isFixed: Bool { !path.hasPrefix(Self.folder) }

    /// The beginning of every address with a hash.
    public static let folder = "/assets/"

    /// Every asset by its address.
    public static let all: [String: Asset] = Dictionary(uniqueKeysWithValues: embedded.map { ($0.path, $0) })

    private static let paths = Dictionary(uniqueKeysWithValues: embedded.map { ($0.name, $0.path) })

    /// The address of the asset with this name; empty for an unknown name. Tests check the names of all scripts and the names
    /// in the frame of a page.
    static func path(of name: String) -> String { paths[name] ?? "" }

    private static func bytes(_ base64: String) -> [UInt8] { Data(base64Encoded: base64).map { [UInt8]($0) } ?? [] }
}

extension Script {
    /// The module's address.
    var path: String { Asset.path(of: rawValue) }
}
