/// Versions of etcd that this program works with.
package enum EtcdVersion {
    /// Whether a version may be used.
    package enum Verdict: Hashable, Sendable {
        case accepted
        /// With the reason, for the operator.
        case warned(String)
        case refused
    }

    /// Judges the text that a member answers to `GET /version`.
    ///
    /// From 3.5.0 to 3.5.2 a crash could lose acknowledged data (etcd #13766), and through 3.5.13 a member could miss its own writes (etcd
    /// #17780). 3.4 has the latter fault before 3.4.32, besides lost watch events (#17610) and leases that a former leader revokes
    /// (#17465). It is accepted, because this program compares bytes and no revisions, waits some seconds at most for a watch, and decides
    /// nothing by leases. Before 3.4 there is no `/v3/` gateway.
    package static func verdict(_ text: String) -> Verdict {
        let parts = text.prefix { $0 != "-" && $0 != "+" }.split(separator: ".", omittingEmptySubsequences: false).map { Int($0) }
        guard parts.count == 3, let major = parts[0], let minor = parts[1], let patch = parts[2] else {
            return .warned("etcd calls its version \(text.prefix(textMax)), which this program does not know.")
        }
        switch (major, minor, patch) {
        case (..<3, _, _), (3, ..<4, _), (3, 5, ...13): return .refused
        case (3, 4, ..<32):
            return .warned(
                """
                etcd \(text) has known faults: after a crash its revisions may go back, a watch may miss changes, and a former leader may \
                end leases. None of them loses events, but writers may change without need. Upgrade the members, one by one, to 3.4.32 or \
                later.
                """)
        case (3, _, _): return .accepted
        default: return .warned("etcd \(text) is newer than this program. Read its notes about the v3 API.")
        }
    }

    private static let textMax = 40
}
