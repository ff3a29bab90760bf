import Foundation
import Merkle
import Testing

@Suite struct TreeHasherTests {
    /// The leaves of the test vectors that all implementations of RFC 6962 share.
    static let leaves: [[UInt8]] = [
        [], [0x00], [0x10], [0x20, 0x21], [0x30, 0x31], Array(0x40...0x43), Array(0x50...0x57), Array(0x60...0x6F),
    ]

    static let roots = [
        "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
        "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
        "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
        "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
        "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
        "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
        "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
        "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
        "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
    ]

    @Test("Roots of trees of up to eight known leaves are the known ones", arguments: 0...8)
    func rootsAreTheKnownAnswers(_ size: Int) throws {
        let tree = MemoryTree(Array(Self.leaves.prefix(size)))
        #expect(tree.edge.root.hex == Self.roots[size])
        #expect(try tree.root(at: UInt64(size)).hex == Self.roots[size])
        #expect(Oracle(Self.leaves).root(at: size).hex == Self.roots[size])
    }

    @Test("A leaf and a node of the same bytes have different hashes, and so have swapped children")
    func leavesAndNodesAreKeptApart() throws {
        var hasher = TreeHasher()
        let (left, right) = (hasher.leaf([1]), hasher.leaf([2]))
        #expect(hasher.node(left, right) != hasher.leaf(left.bytes + right.bytes))
        #expect(hasher.node(left, right) != hasher.node(right, left))
        #expect(TreeHasher.emptyRoot != hasher.leaf([]))
    }

    @Test("A hash does not depend on what the hasher has hashed before")
    func aHasherForgetsWhatItHashed() {
        var used = TreeHasher()
        for count in [300, 0, 65_535, 1, 64, 55, 56] {
            let record = [UInt8](repeating: UInt8(count & 255), count: count)
            var new = TreeHasher()
            #expect(used.leaf(record) == new.leaf(record.span))
            #expect(used.leaf(record) == hash(Oracle.sha256(Data([0] + record))))
        }
        let node = used.node(used.leaf([1]), used.leaf([2]))
        var new = TreeHasher()
        #expect(node == new.node(new.leaf([1]), new.leaf([2])))
    }

    @Test("A copy of a hasher does not change the original's hashes")
    func copiesOfAHasherDoNotDisturbEachOther() {
        var one = TreeHasher()
        let (left, right) = (one.leaf([1]), one.leaf([2]))
        var two = one
        let expected = one.node(left, right)
        _ = two.node(right, left)
        #expect(one.node(left, right) == expected)
    }
}
