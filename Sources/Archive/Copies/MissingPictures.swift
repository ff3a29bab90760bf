public import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// Pictures that a log shows and whose files are missing, each named by the digits with which its file's name begins.
extension PictureFolder {
    /// The number of hexadecimal digits of a picture's id, or of half of its digest in older formats.
    fileprivate static let digitCount = 32

    /// - Parameter reading: whether a file that cannot be read or does not match its digest counts as missing.
    func missing(_ images: Set<ImageID>, reading: Bool) throws(AuditError) -> [String] {
        guard !images.isEmpty else { return [] }
        let files = Dictionary(try names.map { (String($0.prefix(Self.digitCount)), $0) }) { first, _ in first }
        func isMissing(_ digits: String) -> Bool {
            guard let file = files[digits] else { return true }
            return reading && !isWhole(file)
        }
        return images.map(\.digits).filter(isMissing).sorted()
    }

    /// Reads the log, and reads it again if pictures are missing.
    func missing(shownBy log: EventLog, reading: Bool) throws(AuditError) -> [String] {
        do {
            let missing = try self.missing(ShownPictures(of: log).images, reading: reading)
            guard !missing.isEmpty else { return [] }
            // A picture may have been taken down after the log was read.
            let shown = Set(try ShownPictures(of: log).images.map(\.digits))
            return missing.filter(shown.contains)
        } catch { throw AuditError(any: error) }
    }
}

extension ImageID {
    var digits: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: PictureFolder.digitCount - text.utf8.count) + text
    }
}

extension VerifyReport {
    /// The shown pictures whose files are missing or damaged, in order; empty if the log could not be read to its end.
    public func missingPictures() throws(AuditError) -> [String] {
        let folder = PictureFolder(path: DataFolder(self.folder).blobs)
        let missing = try folder.missing(shownPictures, reading: true)
        // The storage engine must not read a damaged log.
        guard !missing.isEmpty, isClean else { return missing }
        let log = try AuditedFolder(self.folder).log(.readOnly, inspecting: .nothing)
        defer { try? log.close() }
        return try folder.missing(shownBy: log, reading: true)
    }
}
