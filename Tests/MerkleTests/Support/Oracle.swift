import Crypto
import Foundation
import Merkle

/// RFC 6962 §2.1 implemented literally, on `Data`, recursive and slow. It shares no code with the code under test.
final class Oracle {
    let records: [Data]
    private var known: [Range<Int>: Data] = [:]

    init(_ records: [[UInt8]]) { self.records = records.map { Data($0) } }

    /// The root of the records in a range: MTH(D[range]) of the RFC.
    func root(_ range: Range<Int>) -> Data {
        if let root = known[range] { return root }
        let root: Data
        switch range.count {
        case 0: root = Self.sha256(Data())
        case 1: root = Self.sha256(Data([0]) + records[range.lowerBound])
        default:
            let middle = range.lowerBound + split(range.count)
            root = Self.sha256(Data([1]) + self.root(range.lowerBound..<middle) + self.root(middle..<range.upperBound))
        }
        known[range] = root
        return root
    }

    /// The root of the first `size` records: MTH(D[size]) of the RFC.
    func root(at size: Int) -> NodeHash { hash(root(0..<size)) }

    /// The inclusion proof of a record: PATH(m, D[range]) of the RFC, with m counted within the range.
    func path(_ m: Int, _ range: Range<Int>) -> [Data] {
        if range.count == 1 { return [] }
        let k = split(range.count)
        let (left, right) = (range.lowerBound..<range.lowerBound + k, range.lowerBound + k..<range.upperBound)
        return m < k ? path(m, left) + [root(right)] : path(m - k, right) + [root(left)]
    }

    /// The consistency proof: SUBPROOF(m, D[range], b) of the RFC, with m counted within the range.
    func subproof(_ m: Int, _ range: Range<Int>, _ b: Bool) -> [Data] {
        if m == range.count { return b ? [] : [root(range)] }
        let k = split(range.count)
        let (left, right) = (range.lowerBound..<range.lowerBound + k, range.lowerBound + k..<range.upperBound)
        return m <= k ? subproof(m, left, b) + [root(right)] : subproof(m - k, right, false) + [root(left)]
    }

    /// The largest power of two below `count`.
    private func split(_ count: Int) -> Int {
        var k = 1
        while k * 2 < count { k *= 2 }
        return k
    }

    static func sha256(_ data: Data) -> Data { Data(SHA256.hash(data: data)) }
}

/// A hash from the oracle's bytes. For any other number of bytes than 32, returns the root of the empty tree.
func hash(_ data: Data) -> NodeHash { NodeHash([UInt8](data)) ?? TreeHasher.emptyRoot }
