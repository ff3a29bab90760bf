import Testing

@testable import LoadGenerator

@Suite("Shops nearby")
struct NearbyRuleTests {
    private func violation(_ distances: [Double?]) -> String? {
        NearbyRule.violation(of: distances.map { FoundBody(id: "shop", distance: $0) }, within: 100)
    }

    @Test("Sorted shops within reach are accepted if the nearest is within a metre", arguments: [[0], [0, 0, 99.9, 100], [0.9, 50]])
    func good(_ distances: [Double]) {
        #expect(violation(distances) == nil)
    }

    @Test(
        "Any other list of shops nearby is a violation",
        arguments: [
            ([], "stands"), ([2], "stands"), ([0, 5, 4], "order"), ([0, 101], "reach"), ([0, nil], "no distance"),
        ] as [([Double?], String)])
    func bad(_ distances: [Double?], _ word: String) {
        #expect(violation(distances)?.contains(word) == true)
    }
}
