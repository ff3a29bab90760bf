internal import Glibc

/// An environment's file, read page by page with plain reads and never mapped: for looking at one that may be damaged.
///
/// LMDB trusts its pages, and a changed byte can lead it out of the map, which ends the process. Here every number is checked
/// before it is used, so that the worst that can happen is a finding.
///
/// ## Limitations
/// Nothing stops a writer from using freed pages again meanwhile: hold a ``SnapshotHold`` where there may be one.
public final class PageFile: Sendable {
    /// The file.
    public let path: String
    /// Bytes of a page, as the head pages say.
    public let pageBytes: Int
    /// Owned, and closed with this object.
    private let descriptor: Int32

    /// Opens the file in an environment's folder.
    ///
    /// - Throws: ``LMDBError/Code/missing``, ``LMDBError/Code/permission``, ``LMDBError/Code/foreign`` when neither head page is one,
    ///   ``LMDBError/Code/damaged`` when the file is too short for one, and so says nothing of whose it was.
    public init(in directory: String) throws(LMDBError) {
        path = directory + "/data.mdb"
        // SAFETY: the descriptor is closed on the failing path, or kept.
        descriptor = unsafe open(path, O_RDONLY | O_CLOEXEC)
        guard descriptor >= 0 else { throw LMDBError(number: errno, call: "open", path: path) }
        guard let bytes = Self.pageBytes(of: descriptor) else {
            let size = FileIdentity(of: descriptor)?.size ?? 0
            _ = close(descriptor)
            if size < HeadPage.Offset.end { throw DataFile.damaged(path, "the file ends within its head") }
            throw LMDBError(.foreign, call: "pread", path: path, text: "neither of the head pages is one")
        }
        pageBytes = bytes
    }

    deinit { _ = close(descriptor) }

    /// Bytes of the file at this moment.
    public var byteCount: Int { FileIdentity(of: descriptor)?.size ?? 0 }

    /// Reads a whole page over what the buffer held.
    ///
    /// - Returns: false when the file does not hold all of it.
    func read(_ number: UInt64, into bytes: inout [UInt8]) -> Bool {
        guard number < 1 << 47 else { return false }
        if bytes.count != pageBytes { bytes = [UInt8](repeating: 0, count: pageBytes) }
        let (count, offset) = (pageBytes, off_t(number) * off_t(pageBytes))
        // SAFETY: reads at most the buffer's bytes into it.
        return unsafe bytes.withUnsafeMutableBytes { buffer in unsafe pread(descriptor, buffer.baseAddress, count, offset) == count }
    }

    /// Reads bytes that begin somewhere in a page and may go on over the next ones, over what the buffer held.
    ///
    /// - Returns: false when the file does not hold all of them.
    func read(_ count: Int, from number: UInt64, at start: Int, into bytes: inout [UInt8]) -> Bool {
        guard number < 1 << 47, count >= 0, count <= 1 << 32 else { return false }
        let offset = off_t(number) * off_t(pageBytes) + off_t(start)
        guard Int(offset) + count <= byteCount else { return false }
        if bytes.count != count { bytes = [UInt8](repeating: 0, count: count) }
        // SAFETY: as above.
        return unsafe bytes.withUnsafeMutableBytes { buffer in unsafe pread(descriptor, buffer.baseAddress, count, offset) == count }
    }

    /// What the first head page says, if there is a second one where it then must be; else the usual, if there is one there.
    private static func pageBytes(of descriptor: Int32) -> Int? {
        let said = Int(PageBytes(descriptor, at: HeadPage.Offset.pageBytes, count: 4).load(0, as: UInt32.self))
        let usual = Int(getpagesize())
        for size in [said, usual] where (512...65_536).contains(size) && size.nonzeroBitCount == 1 {
            let second = PageBytes(descriptor, at: size + HeadPage.Offset.magic, count: 4)
            if second.load(0, as: UInt32.self) == HeadPage.magic { return size }
        }
        let first = PageBytes(descriptor, at: HeadPage.Offset.magic, count: 4)
        return first.load(0, as: UInt32.self) == HeadPage.magic ? usual : nil
    }
}
