import Glibc
import HTTPAPI
import Logging
import ServiceLog

/// This process's limit of open descriptors, and the limits of connections.
enum Descriptors {
    /// Raises the limit to the maximum that the system permits.
    ///
    /// - Returns: the limit in force; 0 if the system does not report it.
    static func raise() -> Int {
        var limit = rlimit()
        // SAFETY: the call writes only into the local that it is passed.
        guard unsafe getrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0 else { return 0 }
        let soft = limit.rlim_cur
        limit.rlim_cur = limit.rlim_max
        // SAFETY: the call reads only the local that it is passed.
        let isRaised = unsafe setrlimit(__rlimit_resource_t(RLIMIT_NOFILE.rawValue), &limit) == 0
        return Int(clamping: isRaised ? limit.rlim_max : soft)
    }

    /// The limits of connections that leave enough descriptors for the service's own files.
    ///
    /// - Parameter peers: the nodes to which this one connects.
    /// - Throws: `Refusal.tooFewDescriptors`.
    static func caps(peers: Int, _ logger: Logger) throws(Refusal) -> ConnectionCaps {
        let limit = raise()
        guard let caps = ConnectionCaps.fitting(descriptors: limit, peers: peers) else { throw .tooFewDescriptors(limit, peers: peers) }
        if caps.total < ConnectionCaps.standard.total {
            let wanted = ConnectionCaps.descriptorsWanted + ConnectionCaps.descriptors(forPeers: peers)
            logger.report(
                .descriptorsFew, at: .warning, "few connections: set the limit of open files (ulimit -n, LimitNOFILE=) higher",
                ["limit": "\(limit)", "connections": "\(caps.total)", "wanted": "\(wanted)"])
        }
        return caps
    }
}
