import Foundation

extension URL {
    /// Whether a folder lies there, be it behind a link.
    var isFolder: Bool {
        let attributes = try? FileManager.default.attributesOfItem(atPath: resolvingSymlinksInPath().path)
        return attributes?[.type] as? FileAttributeType == .typeDirectory
    }
}
