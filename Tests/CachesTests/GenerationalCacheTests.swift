import Caches
import Seeds
import Testing

/// The cache may forget a value but must never return a wrong one.
@Suite struct GenerationalCacheTests {
    @Test("A stored value is returned until it is replaced or removed")
    func storedValue() {
        var cache = GenerationalCache<Int, String>(limit: 4)
        #expect(cache[1] == nil)
        cache[1] = "a"
        #expect(cache[1] == "a")
        cache[1] = "b"
        #expect(cache[1] == "b")
        cache[1] = nil
        #expect(cache[1] == nil)
    }

    @Test("A value that is unused for two generations is evicted, and one that is read stays")
    func unusedValue() {
        var cache = GenerationalCache<Int, Int>(limit: 4)
        for key in 0..<12 {
            cache[key] = key
            #expect(cache[0] == 0, "a value that is read again and again stays")
        }
        #expect(cache[1] == nil)
    }

    @Test("An update of a value in the old generation is visible, and an unknown key is not updated")
    func oldGeneration() {
        var cache = GenerationalCache<Int, Int>(limit: 2)
        for key in 0..<3 { cache[key] = key }
        cache.update(0) { $0 = 100 }
        #expect(cache[0] == 100)
        cache.update(77) { $0 = 1 }
        #expect(cache[77] == nil, "updating an unknown key changes nothing")
    }

    @Test("A key that is written again and again evicts no other")
    func rewrittenKey() {
        var cache = GenerationalCache<Int, Int>(limit: 2)
        cache[1] = 1
        cache[2] = 2
        for round in 0..<10 { cache[2] = round }
        #expect(cache[1] == 1)
    }

    @Test("A cached value is correct or missing, and at most two generations of values are held", arguments: [1, 2, 3, 8, 64])
    func correctOrMissing(limit: Int) {
        var random = SeededRandom(seed: Seed.value &+ UInt64(limit))
        var cache = GenerationalCache<Int, Int>(limit: limit)
        var truth: [Int: Int] = [:]
        for step in 0..<20_000 {
            let key = Int.random(in: 0..<limit * 3, using: &random)
            switch Int.random(in: 0..<10, using: &random) {
            case 0..<4: (cache[key], truth[key]) = (step, step)
            case 4:
                cache[key] = nil
                truth[key] = nil
            case 5..<7:
                // Like the writer, the test changes the true value, and changes the cached value only if the cache has the key.
                cache.update(key) { $0 += 1 }
                if let value = truth[key] { truth[key] = value + 1 }
            default:
                if let value = cache[key] { #expect(value == truth[key], "key \(key) at step \(step)") }
            }
        }
        let held = (0..<limit * 3).filter { cache[$0] != nil }
        #expect(held.count <= limit * 2, "the cache holds at most two generations of \(limit)")
    }
}
