import Seeds

/// Small random changes: flipped bits, replaced bytes, removed bytes and added bytes.
struct Mutations {
    var random: SeededRandom

    mutating func mutate(_ original: [UInt8]) -> [UInt8] {
        var bytes = original
        for _ in 0..<Int.random(in: 1...4, using: &random) { change(&bytes) }
        return bytes
    }

    private mutating func change(_ bytes: inout [UInt8]) {
        let byte = UInt8.random(in: 0...255, using: &random)
        guard let index = bytes.indices.randomElement(using: &random) else { return bytes.append(byte) }
        switch Int.random(in: 0..<5, using: &random) {
        case 0: bytes[index] ^= 1 << (byte & 7)
        case 1: bytes[index] = byte
        case 2: bytes.insert(byte, at: index)
        case 3: bytes.remove(at: index)
        default: bytes.removeSubrange(index...)
        }
    }
}
