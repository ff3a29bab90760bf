import Testing

@testable import LoadGenerator

@Suite("Times of reviews")
struct ReviewTimesTests {
    @Test("A customer has room for thirty reviews in any ten minutes, counted from their answers")
    func window() {
        let start = ContinuousClock.now
        var times = ReviewTimes()
        func hasRoom(_ seconds: Int) -> Bool { times.haveRoom(at: start + .seconds(seconds)) }
        for number in 0..<Limits.reviewsMax {
            #expect(hasRoom(number))
            times.add(at: start + .seconds(number))
        }
        #expect(!hasRoom(599))
        #expect(hasRoom(600), "the first review is forgotten")
        times.add(at: start + .seconds(600))
        #expect(!hasRoom(600), "the second review is not forgotten yet")
        #expect(hasRoom(601))
    }
}
