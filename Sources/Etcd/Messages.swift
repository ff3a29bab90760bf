internal import Foundation

// The messages of etcd's v3 API, as its gateway writes them: bytes in base64, integers of 64 bits as text, and without what is zero, false
// or empty.

struct RangeRequest: Encodable {
    var key: Data
    /// The first key beyond the range; nil for one key.
    var rangeEnd: Data?
    var limit: Int?
    var keysOnly: Bool?
    var sortOrder: String?
    var sortTarget: String?
}

struct PutRequest: Encodable {
    let key, value: Data
    var lease: String?
}

struct Compare: Encodable {
    private let key: Data
    private let target: String
    private let result = "EQUAL"
    private let value: Data?
    private let version: Int?
    private let lease: String?

    /// The key has this value.
    static func has(_ key: Data, _ value: Data) -> Compare { Compare(key: key, target: "VALUE", value: value) }

    static func isAbsent(_ key: Data) -> Compare { Compare(key: key, target: "VERSION", version: 0) }

    /// The key ends with this lease.
    static func isLeased(_ key: Data, _ lease: String) -> Compare { Compare(key: key, target: "LEASE", lease: lease) }

    private init(key: Data, target: String, value: Data? = nil, version: Int? = nil, lease: String? = nil) {
        (self.key, self.target, self.value, self.version, self.lease) = (key, target, value, version, lease)
    }
}

struct Transaction: Encodable {
    enum Step: Encodable {
        case put(PutRequest)
        case range(RangeRequest)
        case remove(RangeRequest)
        case transaction(Transaction)

        private enum CodingKeys: String, CodingKey {
            case requestPut, requestRange, requestDeleteRange, requestTxn
        }

        func encode(to encoder: any Encoder) throws {
            var container = encoder.container(keyedBy: CodingKeys.self)
            switch self {
            case .put(let put): try container.encode(put, forKey: .requestPut)
            case .range(let range): try container.encode(range, forKey: .requestRange)
            case .remove(let range): try container.encode(range, forKey: .requestDeleteRange)
            case .transaction(let inner): try container.encode(inner, forKey: .requestTxn)
            }
        }
    }

    /// All must hold.
    var compare: [Compare] = []
    let success: [Step]
    var failure: [Step] = []
}

struct LeaseRequest: Encodable {
    var lease: String?
    var seconds: Int?

    private enum CodingKeys: String, CodingKey {
        case lease = "ID"
        case seconds = "TTL"
    }
}

struct WatchRequest: Encodable {
    struct Create: Encodable {
        let key: Data
        let startRevision: Int64
    }
    let createRequest: Create
}

/// Any answer; each has some of these fields.
struct Answer: Decodable {
    struct Header: Decodable { let revision, memberId: String? }
    struct Pair: Decodable {
        let key: Data
        let value: Data?
        /// Nil for a value that stays until somebody removes it.
        let lease: String?
    }
    struct Step: Decodable {
        let responseRange: Answer?
        let responseTxn: Answer?
    }
    struct Alarm: Decodable {
        let memberID: String?
        let alarm: String?
    }
    struct Renewal: Decodable {
        /// Nil for a lease that has ended.
        let seconds: String?

        private enum CodingKeys: String, CodingKey {
            case seconds = "TTL"
        }
    }

    let header: Header?
    let kvs: [Pair]?
    /// The limit left pairs out.
    let more: Bool?
    let succeeded: Bool?
    let responses: [Step]?
    /// A new lease.
    let lease: String?
    let result: Renewal?
    let token: String?
    let alarms: [Alarm]?
    let etcdserver: String?
    /// A member's version, the bytes of its file, and their most, which etcd tells from 3.6 on.
    let version, dbSize, dbSizeQuota: String?

    private enum CodingKeys: String, CodingKey {
        case header, kvs, more, succeeded, responses, result, token, alarms, etcdserver, version, dbSize, dbSizeQuota
        case lease = "ID"
    }

    /// The bytes of the first value.
    var value: [UInt8]? { kvs?.first.map { Array($0.value ?? Data()) } }
}

/// The body of an answer with another status than 200.
struct Refusal: Decodable {
    let code: Int?
    let message: String?
}
