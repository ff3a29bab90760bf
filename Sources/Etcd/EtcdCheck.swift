internal import EventLog

/// A member of etcd, for operators.
package struct EndpointStatus: Sendable {
    package let endpoint: String
    /// Nil without an answer.
    package let version: String?
    /// The size of the member's file; nil without an answer.
    package let databaseBytes: Int?
    /// etcd before 3.6 does not tell it.
    package let quotaBytes: Int
    /// Such as `NOSPACE`.
    package let alarms: [String]
    package let fault: EtcdFault?

    /// etcd's default, and the manual's.
    static let quotaBytesUsual = 2 << 30
    private static let fullPercent = 80

    /// Why it refuses every write, or may soon; nil if it has room or gave no answer.
    package var roomFault: String? {
        if alarms.contains("NOSPACE") { return EtcdFault.noSpace.description }
        guard let bytes = databaseBytes, bytes * 100 >= quotaBytes * Self.fullPercent else { return nil }
        return """
            etcd's database at \(endpoint) has \(bytes >> 20) MB, \(Self.fullPercent) % or more of the \(quotaBytes >> 20) MB of its \
            quota. At the quota, every write is refused.
            """
    }
}

extension EtcdLog {
    /// Checks every endpoint before the first use.
    ///
    /// - Returns: warnings for the operator.
    /// - Throws: ``EtcdFault``: a refused version, certificate or password, or no endpoint that answers.
    package func check() throws(EtcdFault) -> [String] {
        var (warnings, silent): ([String], [EtcdFault]) = ([], [])
        for endpoint in gateway.settings.endpoints {
            let version: String
            do throws(EtcdFault) { version = try gateway.version(of: endpoint) } catch {
                silent.append(error)
                continue
            }
            switch EtcdVersion.verdict(version) {
            case .accepted: break
            case .warned(let why): if !warnings.contains(why) { warnings.append(why) }
            case .refused: throw .refusedVersion(version)
            }
        }
        if silent.count == gateway.settings.endpoints.count { throw Gateway.merged(silent) }
        do throws(EtcdFault) { _ = try gateway.ask("/v3/kv/range", RangeRequest(key: keys.head), .repeatable) } catch {
            if case .notSent(let why) = error { throw .noMajority(why) }
            throw error
        }
        if try alarms().contains(where: { $0.alarm == "NOSPACE" }) { warnings.append(EtcdFault.noSpace.description) }
        return warnings + silent.map(\.ofMember)
    }

    /// Asks every endpoint, one after another.
    ///
    /// - Throws: ``EtcdFault`` if none answers.
    package func status() throws(EtcdFault) -> [EndpointStatus] {
        let alarms = try alarms()
        return gateway.settings.endpoints.map { endpoint in
            do throws(EtcdFault) {
                let answer = try gateway.ask("/v3/maintenance/status", [String: String](), of: endpoint)
                let own = alarms.filter { $0.memberID == answer.header?.memberId }.compactMap(\.alarm)
                return EndpointStatus(
                    endpoint: endpoint, version: answer.version, databaseBytes: answer.dbSize.flatMap { Int($0) },
                    quotaBytes: answer.dbSizeQuota.flatMap { Int($0) } ?? EndpointStatus.quotaBytesUsual, alarms: own, fault: nil)
            } catch {
                return EndpointStatus(
                    endpoint: endpoint, version: nil, databaseBytes: nil, quotaBytes: EndpointStatus.quotaBytesUsual, alarms: [],
                    fault: error)
            }
        }
    }

    private func alarms() throws(EtcdFault) -> [Answer.Alarm] {
        try gateway.ask("/v3/maintenance/alarm", ["action": "GET"], .repeatable).alarms ?? []
    }
}
