import Testing

@testable import HTTPAPI

@Suite("canonical request")
struct CanonicalRequestTests {
    private func bytes(_ add: (inout CanonicalRequest) -> Void) -> [UInt8] {
        var request = CanonicalRequest("POST /v1/x")
        add(&request)
        return request.bytes
    }

    @Test("different requests give different bytes, however their fields run together")
    func distinct() {
        let all = [
            bytes { _ in },
            bytes { $0.add("") },
            bytes { $0.add("ab") },
            bytes { request in ["a", "b"].forEach { request.add($0) } },
            bytes { request in ["", "ab"].forEach { request.add($0) } },
            bytes { $0.add(String?.none) },
            bytes { $0.add(Optional("")) },
            bytes { $0.add(Int?.none) },
            bytes { $0.add(Optional(0)) },
            bytes { $0.add(Optional(-1)) },
            bytes { $0.add(0.0) },
            bytes { $0.add(-0.0) },
            bytes { $0.add(UInt128(1)) },
            bytes { $0.add(UInt128(1) << 64) },
            CanonicalRequest("POST /v1/y").bytes,
        ]
        #expect(Set(all).count == all.count)
    }

    @Test("the same request gives the same bytes")
    func same() {
        #expect(bytes { $0.add("a") } == bytes { $0.add("a") })
    }
}
