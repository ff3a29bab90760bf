import Testing

@testable import HTTPAPI

@Suite("Canonical requests")
struct CanonicalRequestTests {
    private func bytes(_ add: (inout CanonicalRequest) -> Void) -> [UInt8] {
        var request = CanonicalRequest("POST /v1/x")
        add(&request)
        return request.bytes
    }

    @Test("Different lists of texts give different bytes")
    func texts() {
        let all = [[], [""], ["ab"], ["a", "b"], ["", "ab"], ["ab", ""]].map { texts in
            bytes { request in
                for text in texts { request.add(text) }
            }
        }
        #expect(Set(all).count == all.count)
    }

    @Test("A missing value differs from an empty one, and different values give different bytes")
    func values() {
        let texts: [String?] = [nil, "", "a"]
        let numbers: [Int?] = [nil, 0, 1, -1]
        let wide: [UInt128] = [0, 1, 1 << 64]
        var groups: [[[UInt8]]] = [texts.map { text in bytes { $0.add(text) } }]
        groups.append(numbers.map { number in bytes { $0.add(number) } })
        groups.append([0.0, -0.0, 1].map { number in bytes { $0.add(number) } })
        groups.append(wide.map { number in bytes { $0.add(number) } })
        groups.append(["POST /v1/x", "POST /v1/y"].map { CanonicalRequest($0).bytes })
        for all in groups { #expect(Set(all).count == all.count) }
    }

    @Test("The same request gives the same bytes")
    func same() {
        #expect(bytes { $0.add("a") } == bytes { $0.add("a") })
    }
}
