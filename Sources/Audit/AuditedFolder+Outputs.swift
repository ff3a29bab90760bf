internal import Foundation

extension AuditedFolder {
    /// Makes sure that none of these would be written among the folder's own files, over the log itself or its keys.
    ///
    /// - Parameter outputs: files or folders that somebody named; nil and `-` are none.
    /// - Throws: ``AuditError/Code/output``.
    public func requireOutside(_ outputs: String?...) throws(AuditError) {
        let own = Self.resolved(path)
        for case let output? in outputs where output != "-" {
            let place = Self.resolved(output)
            guard place == own || place.hasPrefix(own + "/") else { continue }
            throw AuditError(
                .output, "\(output) lies in the data folder \(path), where only the server writes.", remedy: "Name a place outside of it.")
        }
    }

    /// An absolute path without links, as far as it is there.
    private static func resolved(_ path: String) -> String {
        var url = URL(fileURLWithPath: path).standardizedFileURL
        var missing: [String] = []
        while !FileManager.default.fileExists(atPath: url.path), url.path != "/" {
            missing.append(url.lastPathComponent)
            url.deleteLastPathComponent()
        }
        let there = url.resolvingSymlinksInPath().path
        return missing.reversed().reduce(there) { $0 == "/" ? "/" + $1 : $0 + "/" + $1 }
    }
}
