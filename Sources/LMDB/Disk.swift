internal import Glibc

/// Questions to the file system, asked only while an error is being explained.
enum Disk {
    /// Free bytes below which a short write is blamed on a full disk: a batch's pages may not have fitted.
    private static let fullBelowBytes: UInt64 = 4 << 20

    /// Whether a short write at `directory` is explained by a lack of room.
    static func isFull(at directory: String) -> Bool {
        var space = statvfs()
        // SAFETY: plain C calls that fill the structs handed in.
        if unsafe statvfs(directory, &space) == 0 {
            let free = UInt64(space.f_bavail) * UInt64(space.f_frsize)
            if free < fullBelowBytes { return true }
        }
        var limit = rlimit()
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_FSIZE.rawValue), &limit) == 0 else { return false }
        guard let size = FileIdentity(of: directory + "/data.mdb")?.size else { return false }
        return UInt64(size) + fullBelowBytes > UInt64(limit.rlim_cur)
    }
}
