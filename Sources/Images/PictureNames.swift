internal import Foundation
internal import Loyalty

/// The names of pictures by folder, cached because a look-up has only the id, the first part of a file's name.
///
/// Code that adds or removes a file MUST call ``forget(_:)`` afterwards, so that the folder is listed again.
struct PictureNames {
    private var folders: [String: [ImageID: ImageName]] = [:]
    private(set) var listings = 0

    /// A failed listing is not remembered, because its cause may be temporary.
    mutating func name(of id: ImageID, in folder: String) -> ImageName? {
        if let known = folders[folder] { return known[id] }
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        listings += 1
        let names = Dictionary(files.sorted().compactMap { ImageName($0) }.map { ($0.id, $0) }) { first, _ in first }
        folders[folder] = names
        return names[id]
    }

    mutating func forget(_ folder: String) { folders[folder] = nil }
}
