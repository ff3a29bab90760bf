public import Audit
internal import EventLog
internal import Foundation
internal import Loyalty
internal import LoyaltyCodec

/// Pictures that shops and campaigns show according to a log, and whose files are missing. Each is named by the 32 digits with which the
/// name of its file begins.
extension PictureFolder {
    /// Returns, in order, those of the pictures of which the folder has no file.
    ///
    /// - Parameter reading: whether a file that cannot be read or does not match its digest counts as missing.
    func missing(_ images: Set<ImageID>, reading: Bool) throws(AuditError) -> [String] {
        guard !images.isEmpty else { return [] }
        let files = Dictionary(try names.map { (String($0.prefix(32)), $0) }) { first, _ in first }
        return images.map(\.digits).filter { digits in files[digits].map { reading && !isWhole($0) } ?? true }.sorted()
    }

    /// Returns, in order, the pictures that the log shows and of which the folder has no file. Reads the log, and again if there are any.
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
    /// The id as the name of its file begins.
    var digits: String {
        let text = String(value, radix: 16)
        return String(repeating: "0", count: 32 - text.utf8.count) + text
    }
}

extension VerifyReport {
    /// The pictures that the verified log shows and whose files the folder lacks or has damaged, in order. Reads these files. Empty if the
    /// log could not be read to its end.
    public func missingPictures() throws(AuditError) -> [String] {
        let folder = PictureFolder(path: DataFolder(self.folder).blobs)
        let missing = try folder.missing(shownPictures, reading: true)
        // A damaged log must not be read by the storage engine.
        guard !missing.isEmpty, isClean else { return missing }
        let log = try AuditedFolder(self.folder).log(.readOnly, inspecting: .nothing)
        defer { try? log.close() }
        return try folder.missing(shownBy: log, reading: true)
    }
}
