internal import Foundation
internal import Loyalty

/// The names of the pictures in each folder. A folder is listed when a picture in it is first looked up, and again after ``forget(_:)``.
///
/// A picture is looked up by its id, which is only the first part of its file's name. Listing the folder at every look-up would take too
/// long: each folder has a 256th of all pictures, pages show up to thirty pictures, and anyone may request any id. Code that adds or
/// removes a file MUST call ``forget(_:)`` afterwards. A name takes about a hundred bytes of memory.
struct PictureNames {
    private var folders: [String: [ImageID: ImageName]] = [:]
    /// The number of times that a folder was listed since the start.
    private(set) var listings = 0

    /// The name of the file of the picture with this id, from the list of its folder; nil if the list has no such name. The file may no
    /// longer exist.
    ///
    /// A folder that cannot be listed is listed again at the next look-up, because the cause may be temporary, for example a lack of free
    /// descriptors.
    mutating func name(of id: ImageID, in folder: String) -> ImageName? {
        if let known = folders[folder] { return known[id] }
        guard let files = try? FileManager.default.contentsOfDirectory(atPath: folder) else { return nil }
        listings += 1
        let names = Dictionary(files.sorted().compactMap { ImageName($0) }.map { ($0.id, $0) }) { first, _ in first }
        folders[folder] = names
        return names[id]
    }

    /// Forgets the names of a folder in which a file was added or removed, so that the next look-up lists the folder again.
    mutating func forget(_ folder: String) { folders[folder] = nil }
}
