import Merkle

/// Keys for tests only, whose secret seeds are public here.
enum TestKeys {
    static let origin = "greentea.example/log"

    static func log(_ name: String = origin, seed: UInt8 = 1) throws -> NoteSigner {
        try NoteSigner(name: name, seed: [UInt8](repeating: seed, count: 32))
    }

    static func witness(_ number: UInt8 = 1) throws -> NoteSigner {
        try NoteSigner(name: "witness\(number).example", seed: [UInt8](repeating: 100 + number, count: 32), kind: .cosignature)
    }
}
