import Caches
import Seeds
import Testing

@Suite("Shared pools") struct SharedPoolTests {
    private typealias Pool = SharedPool<Int>

    private static func terms(
        _ displaced: PoolTerms.Displaced, capacity: Int = 40, perAccount: Int? = 2, perAddress: Int? = 20, perSecond: Int? = nil
    ) -> PoolTerms {
        PoolTerms(
            "things", in: [], capacity: capacity, perAccount: perAccount, perAddress: perAddress, displaced: displaced,
            perSecond: perSecond, test: "")
    }

    private static func id(_ added: (id: UInt64, displaced: [Int])?) throws -> UInt64 { try #require(added).id }

    /// Ten accounts at one address want everything.
    private static func crowd(_ pool: inout Pool, each wanted: Int = 100) {
        for turn in 0..<wanted {
            for account in 0..<10 { _ = pool.add(turn * 10 + account, of: PoolShare(account: UInt128(account), address: 1)) }
        }
    }

    @Test("Ten accounts at one address that want everything close no pool for an eleventh", arguments: [UInt128(1), 2])
    func crowd(_ address: UInt128) {
        for (capacity, perAccount, perAddress) in [(64, 1, 32), (40, 2, 20), (24, 2, 12), (64, 4, 32)] {
            for displaced in [PoolTerms.Displaced.slowest, .newest, .oldest] {
                var pool = Pool(Self.terms(displaced, capacity: capacity, perAccount: perAccount, perAddress: perAddress))
                Self.crowd(&pool)
                #expect(pool.taken <= perAddress)
                let added = pool.add(-1, of: PoolShare(account: 99, address: address))
                #expect(added != nil && pool.values.contains(-1))
                Self.crowd(&pool)
                #expect(pool.values.contains(-1), "the eleventh keeps its place: \(displaced) \(capacity)")
            }
        }
    }

    @Test("A full pool takes from the address that holds the most, until all hold the same")
    func addresses() {
        var pool = Pool(Self.terms(.newest, perAccount: nil))
        for number in 0..<20 { for address in UInt128(1)...2 { _ = pool.add(number, of: PoolShare(address: address)) } }
        #expect(pool.taken == 40)
        var (count, displaced) = (0, [Int]())
        while let added = pool.add(-1, of: PoolShare(address: 3)) {
            count += 1
            displaced += added.displaced
            #expect(pool.taken == 40)
        }
        #expect(count == 13 && displaced.count == 13 && displaced.min() == 13)
    }

    @Test("A transfer that was too slow in the last seconds gives way, however fast it was before")
    func slow() throws {
        var pool = Pool(Self.terms(.slowest, capacity: 2, perAccount: 1, perAddress: 2, perSecond: 100))
        let (slow, fast) = (PoolShare(account: 1, address: 1), PoolShare(account: 2, address: 1))
        let first = try Self.id(pool.add(1, of: slow, at: 0))
        let second = try Self.id(pool.add(2, of: fast, at: 0))
        pool.progress(first, units: 1_000_000, at: 0)
        #expect(pool.add(3, of: PoolShare(account: 3, address: 1), at: Pace.windowMicroseconds - 1) == nil)
        pool.progress(second, units: 100, at: Pace.windowMicroseconds - 1)
        #expect(pool.add(3, of: PoolShare(account: 3, address: 1), at: Pace.windowMicroseconds)?.displaced == [1])
        pool.remove(first)
        #expect(pool.taken == 2, "a displaced entry is not given back again")
    }

    @Test("A small body displaces a body of twice its size, and bodies of one size do not displace each other")
    func bytes() throws {
        var pool = Pool(Self.terms(.slowest, capacity: 200, perAccount: nil, perAddress: 100, perSecond: 1))
        let share = PoolShare(address: 1)
        let (one, two) = (try Self.id(pool.add(1, amount: 60, of: share)), try Self.id(pool.add(2, amount: 10, of: share)))
        #expect(pool.grow(two, by: 30, at: 0) == [])
        #expect(pool.grow(two, by: 1, at: 0) == nil)
        #expect(pool.add(3, amount: 31, of: share) == nil)
        #expect(pool.add(3, amount: 30, of: share)?.displaced == [1])
        #expect(pool.grow(one, by: 1, at: 0) == nil && pool.taken == 70)
        pool.shrink(one, by: 5)
        pool.shrink(two, by: 5)
        #expect(pool.taken == 65)
    }

    @Test("What cannot fit displaces nothing")
    func tooLarge() {
        var pool = Pool(Self.terms(.newest, capacity: 10, perAccount: nil, perAddress: 8))
        for number in 0..<8 { _ = pool.add(number, of: PoolShare(account: 1, address: 1)) }
        #expect(pool.add(9, amount: 9, of: PoolShare(account: 2, address: 2)) == nil)
        #expect(pool.add(9, amount: 6, of: PoolShare(account: 2, address: 1)) == nil)
        #expect(pool.taken == 8 && pool.count == 8)
    }

    @Test("The networks of one IPv6 /48 together get no more than half of a pool")
    func networks() {
        var pool = Pool(Self.terms(.nobody, capacity: 64, perAccount: nil, perAddress: 8))
        let added = (0..<64).count { pool.add($0, of: PoolShare(address: UInt128($0), network: 7)) != nil }
        #expect(added == 32)
        #expect(pool.add(1, of: PoolShare(address: 100, network: 8)) != nil)
    }

    @Test("Addresses, and accounts at an address, are served in turns")
    func turns() {
        var pool = Pool(Self.terms(.newest, perAccount: nil))
        for number in 0..<4 { _ = pool.add(number, of: PoolShare(account: 1, address: 1)) }
        _ = pool.add(10, of: PoolShare(account: 2, address: 1))
        _ = pool.add(20, of: PoolShare(account: 3, address: 2))
        #expect((0..<7).map { _ in pool.next() } == [0, 20, 10, 1, 2, 3, nil])
    }

    @Test("A kept value that is used outlives others of its client, and a cache never refuses")
    func cache() {
        var pool = Pool(Self.terms(.oldest, capacity: 3, perAccount: nil, perAddress: 3))
        let ids = (0..<3).compactMap { pool.add($0, of: PoolShare(account: 1, address: 1))?.id }
        pool.use(ids[0])
        #expect(pool.add(3, of: PoolShare(account: 2, address: 1))?.displaced == [1])
        #expect(pool.add(4, of: PoolShare(account: 2, address: 1))?.displaced == [2])
        #expect(pool.add(5, of: PoolShare(account: 2, address: 1))?.displaced == [3])
        #expect(pool.add(6, of: PoolShare(account: 3, address: 2))?.displaced == [4])
        #expect(Set(pool.values) == [0, 5, 6])
    }

    @Test("A random history keeps every limit, and its sums are those of its entries")
    func random() {
        var random = SeededRandom.announced("shared pools")
        for displaced in [PoolTerms.Displaced.slowest, .newest, .oldest, .nobody] {
            var pool = SharedPool<PoolShare>(Self.terms(displaced, capacity: 30, perAccount: 6, perAddress: 10, perSecond: 5))
            var ids: [UInt64] = []
            for step in 0..<3_000 {
                let share = PoolShare(
                    account: UInt128.random(in: 0..<12, using: &random), address: UInt128.random(in: 0..<6, using: &random))
                switch Int.random(in: 0..<5, using: &random) {
                case 0, 1: if let added = pool.add(share, of: share, at: Int64(step) * 100_000) { ids.append(added.id) }
                case 2: if let id = ids.randomElement(using: &random) { pool.remove(id) }
                case 3: _ = pool.next()
                default: if let id = ids.randomElement(using: &random) { pool.progress(id, units: 3, at: Int64(step) * 100_000) }
                }
                #expect(pool.taken == pool.count && pool.taken <= 30)
                let (accounts, addresses) = (
                    Dictionary(grouping: pool.values, by: \.account), Dictionary(grouping: pool.values, by: \.address)
                )
                #expect(accounts.values.allSatisfy { $0.count <= 6 } && addresses.values.allSatisfy { $0.count <= 10 })
            }
        }
    }
}
