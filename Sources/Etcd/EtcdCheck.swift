internal import EventLog

/// A member of etcd, for operators.
package struct EndpointStatus: Sendable {
    package let endpoint: String
    /// Nil without an answer.
    package let version: String?
    /// The size of the member's file; nil without an answer.
    package let databaseBytes: Int?
    /// Such as `NOSPACE`.
    package let alarms: [String]
    package let fault: EtcdFault?
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
        _ = try gateway.ask("/v3/kv/range", RangeRequest(key: keys.head), .repeatable)
        if try alarms().contains(where: { $0.alarm == "NOSPACE" }) { warnings.append(EtcdFault.noSpace.description) }
        return warnings + silent.map(\.description)
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
                    endpoint: endpoint, version: answer.version, databaseBytes: answer.dbSize.flatMap { Int($0) }, alarms: own, fault: nil)
            } catch { return EndpointStatus(endpoint: endpoint, version: nil, databaseBytes: nil, alarms: [], fault: error) }
        }
    }

    private func alarms() throws(EtcdFault) -> [Answer.Alarm] {
        try gateway.ask("/v3/maintenance/alarm", ["action": "GET"], .repeatable).alarms ?? []
    }
}
