import Merkle
import Testing

@Suite struct NodeHashTests {
    private let bytes = (0..<32).map { UInt8($0 * 7 + 3) }

    @Test("A hash gives back its bytes")
    func bytesComeBackAsTheyWere() throws {
        let hash = try #require(NodeHash(bytes))
        #expect(hash.bytes == bytes)
        #expect((0..<32).map { hash[$0] } == bytes)
        var buffer: [UInt8] = [9]
        hash.append(to: &buffer)
        #expect(buffer == [9] + bytes)
        #expect(NodeHash(bytes.span) == hash)
    }

    @Test("Bytes of another number than 32 are no hash", arguments: [0, 1, 31, 33, 64])
    func anotherNumberOfBytesIsNoHash(_ count: Int) {
        #expect(NodeHash([UInt8](repeating: 0, count: count)) == nil)
    }

    @Test("Hashes that differ in one bit are different", arguments: 0..<256)
    func everyBitCounts(_ bit: Int) throws {
        let hash = try #require(NodeHash(bytes))
        #expect(hash.flipping(bit) != hash)
        #expect(Set([hash, hash.flipping(bit), hash]).count == 2)
    }

    @Test("A hash gives back its hexadecimal and its Base64 text")
    func textsComeBackAsTheyWere() throws {
        let hash = try #require(NodeHash(bytes))
        #expect(hash.hex == "030a11181f262d343b424950575e656c737a81888f969da4abb2b9c0c7ced5dc")
        #expect(hash.base64 == "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw=")
        #expect("\(hash)" == hash.hex)
        #expect(NodeHash(hex: hash.hex) == hash)
        #expect(NodeHash(base64: hash.base64) == hash)
    }

    @Test(
        "Text that is not the Base64 of 32 bytes is no hash",
        arguments: [
            "", "AwoR", "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw", "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dx=",
            "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1d-=", " AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw=",
            "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dw=\n", "AwoRGB8mLTQ7QklQV15lbHN6gYiPlp2kq7K5wMfO1dwA",
        ])
    func otherTextIsNoHash(_ text: String) {
        #expect(NodeHash(base64: text) == nil)
    }

    @Test(
        "Hexadecimal text in upper case, or of another length, is no hash",
        arguments: [
            "", "03", "030A11181F262D343B424950575E656C737A81888F969DA4ABB2B9C0C7CED5DC", String(repeating: "g", count: 64),
        ])
    func otherHexadecimalIsNoHash(_ text: String) {
        #expect(NodeHash(hex: text) == nil)
    }
}
