internal import Glibc

/// The state of the file system that a path is on.
public enum DiskMount {
    private static let readOnlyFlag: UInt = 1

    /// Whether the file system is mounted read-only; false if unknown, for example for a missing path.
    public static func isReadOnly(at path: String) -> Bool {
        var space = statvfs()
        // SAFETY: a plain C call that fills the struct.
        guard unsafe statvfs(path, &space) == 0 else { return false }
        return UInt(space.f_flag) & readOnlyFlag != 0
    }
}

enum Disk {
    /// With less free space, a short write counts as a full disk.
    private static let fullBelowBytes: UInt64 = 4 << 20

    static func isFull(at directory: String) -> Bool {
        var space = statvfs()
        // SAFETY: plain C calls that fill their structs.
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
