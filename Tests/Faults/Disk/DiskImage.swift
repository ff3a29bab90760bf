internal import Foundation

/// The folders and files that a cut has left.
package struct DiskImage: Hashable, Sendable {
    /// Folders, each after the one that it lies in.
    package var folders: [String] = []
    /// The content of each file.
    package var files: [String: [UInt8]] = [:]

    /// Nothing.
    package init() {}

    /// Makes a folder that holds just this. It is not flushed: the machine that tests is not the one whose power fails.
    ///
    /// - Throws: when the disk refuses.
    package func write(to folder: String) throws {
        let manager = FileManager.default
        try? manager.removeItem(atPath: folder)
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for path in folders { try manager.createDirectory(atPath: folder + "/" + path, withIntermediateDirectories: true) }
        for (path, bytes) in files { try Data(bytes).write(to: URL(filePath: folder + "/" + path)) }
    }

    /// What a folder holds.
    ///
    /// - Throws: when it cannot be read.
    package init(folder: String) throws {
        let manager = FileManager.default
        for path in try manager.subpathsOfDirectory(atPath: folder).sorted() {
            if let bytes = try? Data(contentsOf: URL(filePath: folder + "/" + path)) {
                files[path] = [UInt8](bytes)
            } else {
                folders.append(path)
            }
        }
    }
}
