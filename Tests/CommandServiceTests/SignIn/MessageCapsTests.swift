import Loyalty
import Testing

@testable import CommandService

/// Limits on text messages per phone number, per network and in total, and on the countries that receive them.
@Suite("Caps on text messages") struct MessageCapsTests {
    private let clock = HandClock()

    private func number(_ index: Int) throws -> E164Number { try #require(E164Number("+1\(2_000_000_000 + index)")) }
    private func network(_ number: Int) -> SignInNetwork { SignInNetwork(ipv6: UInt64(number) << 16) }

    /// Requests a code for one phone number every minute of a day, and returns the number of messages that the caps permit.
    private func sent(_ caps: MessageCaps, isKnown: Bool = false, from network: (Int) -> SignInNetwork) -> Int {
        (0..<1_440).count { minute in
            clock.move(bySeconds: 60)
            return caps.take(phone(1), from: network(minute), isKnown: isKnown, at: clock.steady()) == nil
        }
    }

    @Test("A number gets eight messages a day from one network, sixteen from all, and sixteen more from its own network")
    func day() {
        let caps = MessageCaps()
        #expect(sent(caps) { _ in network(1) } <= 8)
        #expect((9...16).contains(sent(MessageCaps()) { network($0) }))
        let attacked = MessageCaps()
        _ = sent(attacked) { network($0) }
        #expect(attacked.take(phone(1), from: network(9_999), isKnown: false, at: clock.steady()) != nil)
        #expect(attacked.take(phone(1), from: network(1), isKnown: true, at: clock.steady()) == nil, "a known network has its own share")
        #expect((8...16).contains(sent(MessageCaps(), isKnown: true) { _ in network(1) }))
    }

    @Test("A network may send two hundred messages at once to any numbers, and another network has its own share")
    func networks() throws {
        let caps = MessageCaps()
        let now = clock.steady()
        let count = try (0..<1_000).count { caps.take(try number($0), from: network(1), isKnown: false, at: now) == nil }
        #expect(count == 200)
        #expect(caps.take(try number(0), from: network(2), isKnown: false, at: now) == nil)
    }

    @Test("The total applies to all numbers, but a number on a known network has a share that strangers cannot use up")
    func total() throws {
        let caps = MessageCaps(MessageLimits(perDay: 50))
        let now = clock.steady()
        let count = try (0..<1_000).count { caps.take(try number($0), from: network($0), isKnown: false, at: now) == nil }
        #expect(count == 50)
        #expect(caps.take(phone(1), from: network(1), isKnown: true, at: now) == nil)
    }

    @Test("A message that one cap refuses counts against no other cap")
    func allOrNothing() throws {
        let caps = MessageCaps(MessageLimits(perDay: 5))
        let now = clock.steady()
        for _ in 0..<100 { _ = caps.take(phone(1), from: network(1), isKnown: false, at: now) }
        #expect(caps.take(phone(2), from: network(1), isKnown: false, at: now) == nil, "the first number used four of five messages")
        #expect(caps.take(phone(2), from: network(1), isKnown: false, at: now) != nil)
    }

    @Test("Messages go to the listed countries, or to all if none is listed")
    func countries() throws {
        let caps = MessageCaps(MessageLimits(countries: ["+86", "+852"]))
        for text in ["+8613800138000", "+85251234567"] {
            let served = try #require(E164Number(text))
            #expect(caps.serves(served))
        }
        let other = try #require(E164Number("+12025550100"))
        #expect(!caps.serves(other) && MessageCaps().serves(other))
        for prefix in ["+1", "+86", "+123456789012345"] { #expect(MessageLimits.isPrefix(prefix)) }
        for prefix in ["", "+", "86", "+0", "+8x", "+1234567890123456"] { #expect(!MessageLimits.isPrefix(prefix)) }
    }
}
