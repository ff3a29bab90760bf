internal import Foundation

/// The folders and files on a disk after a power cut.
package struct DiskImage: Hashable, Sendable {
    /// The paths of the folders. Each folder comes after its parent.
    package var folders: [String] = []
    /// The content of each file.
    package var files: [String: [UInt8]] = [:]

    /// An empty image.
    package init() {}

    /// Writes the image to a new folder. The files are not flushed, because the power of the testing machine does not really fail.
    ///
    /// - Throws: if the files cannot be written.
    package func write(to folder: String) throws {
        let manager = FileManager.default
        try? manager.removeItem(atPath: folder)
        try manager.createDirectory(atPath: folder, withIntermediateDirectories: true)
        for path in folders { try manager.createDirectory(atPath: folder + "/" + path, withIntermediateDirectories: true) }
        for (path, bytes) in files { try Data(bytes).write(to: URL(filePath: folder + "/" + path)) }
    }

    /// Reads a folder.
    ///
    /// - Throws: if the folder cannot be read.
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
