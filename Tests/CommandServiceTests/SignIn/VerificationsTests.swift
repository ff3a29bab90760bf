import Loyalty
import Seeds
import Testing

@testable import CommandService
@testable import Composition

/// Codes sent to phones: the conditions for sending a code, and the limits on guessing it.
@Suite("Codes sent to phones") struct VerificationsTests {
    private let clock = HandClock()
    private let verifications: Verifications
    private let wrong = "000x00"

    init() {
        verifications = Verifications(randomness: SeededRandomness(seed: Seed.value), clock: clock)
    }

    private func network(_ number: Int) -> SignInNetwork { SignInNetwork(ipv4: UInt32(number) << 8) }

    private func number(_ index: Int) throws -> E164Number { try #require(E164Number("+1\(2_000_000_000 + index)")) }

    /// Returns true if the code is right, false if it is wrong, and nil if the attempt was refused before the code was compared.
    private func spend(_ code: String, from network: SignInNetwork = .unknown, of phone: E164Number = phone(1)) -> Bool? {
        do throws(VerificationRefusal) { return try verifications.spend(code, for: phone, from: network) } catch { return nil }
    }

    @Test("The right code has six digits and works once")
    func once() throws {
        let code = try verifications.begin(for: phone(1)).code
        #expect(code.count == 6 && code.allSatisfy(\.isNumber))
        #expect(spend(code) == true)
        #expect(spend(code) == false)
    }

    @Test("Of two codes that are entered together, both are used up, or none if either is wrong")
    func together() throws {
        let (first, second) = (try verifications.begin(for: phone(1)).code, try verifications.begin(for: phone(2)).code)
        for pair in [(wrong, second), (first, wrong)] {
            #expect(try !verifications.spend([(pair.0, phone(1)), (pair.1, phone(2))], from: .unknown))
        }
        #expect(try verifications.spend([(first, phone(1)), (second, phone(2))], from: .unknown))
        #expect(spend(first) == false && spend(second, of: phone(2)) == false)
    }

    @Test("A used code that is given back works again until it would have expired, unless its number has a newer code")
    func givenBack() throws {
        let code = try verifications.begin(for: phone(1)).code
        clock.move(bySeconds: 299)
        #expect(spend(code) == true)
        verifications.giveBack([(code, phone(1))])
        #expect(spend(code) == true)
        #expect(spend(code) == false)
        verifications.giveBack([(code, phone(1))])
        clock.move(bySeconds: 1)
        #expect(spend(code) == false)
        let early = try verifications.begin(for: phone(1)).code
        #expect(spend(early) == true)
        let late = try verifications.begin(for: phone(1)).code
        verifications.giveBack([(early, phone(1))])
        #expect(spend(early) == false)
        #expect(spend(late) == true)
    }

    @Test("A code works only for the phone it was sent to")
    func owner() throws {
        let code = try verifications.begin(for: phone(1)).code
        #expect(spend(code, of: phone(2)) == false)
        #expect(spend(code) == true)
    }

    @Test("A code is valid for five minutes by the steady clock")
    func expiry() throws {
        let early = try verifications.begin(for: phone(1)).code
        clock.move(bySeconds: 299)
        #expect(spend(early) == true)
        let late = try verifications.begin(for: phone(1)).code
        clock.set(bySeconds: -86_400)
        clock.move(bySeconds: 300)
        #expect(spend(late) == false)
    }

    @Test("A repeated request gets the same code and end, and sends at most one message a minute")
    func again() throws {
        let first = try verifications.begin(for: phone(1))
        var sent = first.isToBeSent ? 1 : 0
        for _ in 0..<299 {
            clock.move(bySeconds: 1)
            let begun = try verifications.begin(for: phone(1), from: network(7))
            #expect(begun.code == first.code && begun.expiresAt == first.expiresAt)
            sent += begun.isToBeSent ? 1 : 0
        }
        #expect(sent == 5)
        #expect(spend(first.code) == true)
    }

    @Test("A message that could not be sent is sent again at the next request")
    func unsent() throws {
        let caps = MessageCaps()
        for _ in 0..<100 {
            let begun = try verifications.begin(for: phone(1), caps: caps)
            #expect(begun.isToBeSent)
            verifications.unsent(begun, to: phone(1), caps: caps)
        }
        let sent = try verifications.begin(for: phone(1), caps: caps)
        clock.move(bySeconds: 60)
        let again = try verifications.begin(for: phone(1), caps: caps)
        verifications.unsent(again, to: phone(1), caps: caps)
        let next = try verifications.begin(for: phone(1), caps: caps)
        #expect(again.isToBeSent && next.isToBeSent && next.code == sent.code)
    }

    // MARK: Guesses at codes

    @Test("A network that requested a code has five tries and must then wait for the next code")
    func fiveTries() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        for _ in 0..<5 { #expect(spend(wrong, from: network(1)) == false) }
        #expect(throws: VerificationRefusal.wait(seconds: 300)) { try verifications.spend(code, for: phone(1), from: network(1)) }
        clock.move(bySeconds: 300)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("Endless guesses by strangers never block the holder's right code")
    func victim() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        var looked = 0
        for stranger in 2..<1_000 {
            for _ in 0..<4 where spend(wrong, from: network(stranger)) != nil { looked += 1 }
        }
        #expect(looked == 100, "all strangers together may enter 100 wrong codes")
        #expect(spend(code, from: network(1)) == true)
    }

    @Test("A network that did not request the code has three tries at it")
    func strangerTries() throws {
        _ = try verifications.begin(for: phone(1), from: network(1))
        #expect((0..<10).count { _ in spend(wrong, from: network(2)) != nil } == 3)
    }

    @Test("A fourth network that requests a code is a stranger to it, and the holder who requests the next code first gets in")
    func askers() throws {
        for asker in 2...4 { _ = try verifications.begin(for: phone(1), from: network(asker)) }
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        for stranger in 10..<100 { for _ in 0..<3 { _ = spend(wrong, from: network(stranger)) } }
        #expect(spend(code, from: network(1)) == nil, "the network is a stranger to this code, and the strangers' budget is used up")
        clock.move(bySeconds: 300)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("A network from which the number signed in before can try, whatever strangers did")
    func known() throws {
        #expect(spend(try verifications.begin(for: phone(1), from: network(1)).code, from: network(1)) == true)
        for asker in 2...4 { _ = try verifications.begin(for: phone(1), from: network(asker)) }
        for stranger in 10..<100 { for _ in 0..<3 { _ = spend(wrong, from: network(stranger)) } }
        let code = try verifications.begin(for: phone(1), from: network(5)).code
        #expect(spend(code, from: network(1)) == true)
    }

    /// Checks the calculation in the comment of `Verifications`: every permitted network uses up its guesses at every code of one day.
    @Test("In a day all networks together get fewer than a thousand guesses at one number")
    func day() throws {
        let caps = MessageCaps()
        var (guesses, codes, last) = (0, 0, "")
        for minute in 0..<1_440 where minute.isMultiple(of: 5) {
            clock.move(bySeconds: 300)
            var isOut = false
            for asker in 0..<12 {
                let begun = try? verifications.begin(for: phone(1), from: network(minute * 100 + asker), caps: caps)
                guard let begun else { continue }
                isOut = true
                if begun.code != last { codes += 1 }
                last = begun.code
            }
            guard isOut else { continue }
            for guesser in 0..<60 {
                for _ in 0..<6 where spend(wrong, from: network(minute * 100 + guesser)) == false { guesses += 1 }
            }
        }
        #expect(codes <= 16 && codes > 8, "\(codes) codes were made for strangers")
        #expect(guesses < 1_000, "\(guesses) guesses")
    }

    @Test("Past a thousand wrong codes an hour, strangers are refused, and all others are slowed but still get in")
    func breaker() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(!verifications.isBreakerOpen)
        // Each guess is the first one of a network that has requested its own code, so only the total limit applies.
        for index in 0..<1_000 {
            _ = try verifications.begin(for: try number(index), from: network(1_000 + index))
            #expect(spend(wrong, from: network(1_000 + index), of: try number(index)) == false)
        }
        #expect(verifications.isBreakerOpen)
        #expect(spend(wrong, from: network(2)) == nil, "a stranger is refused while the breaker is open")
        #expect(spend(code, from: network(1)) == true)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        for _ in 0..<4 { #expect(spend(wrong, from: network(1)) == false) }
        #expect(throws: VerificationRefusal.wait(seconds: 5)) { try verifications.spend(next, for: phone(1), from: network(1)) }
        let other = try verifications.begin(for: phone(2), from: network(3)).code
        #expect(spend(wrong, from: network(3), of: phone(2)) == false)
        #expect(spend(other, from: network(3), of: phone(2)) == nil, "an asker has one try at each code while the breaker is open")
        clock.move(bySeconds: 5)
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("A flood of numbers drops the oldest codes and keeps memory bounded")
    func flood() throws {
        let small = Verifications(randomness: SeededRandomness(seed: Seed.value), clock: clock, pendingMax: 1_000)
        let oldest = try small.begin(for: try number(0)).code
        var newest = ""
        for index in 1...1_000 { newest = try small.begin(for: try number(index)).code }
        #expect(try !small.spend(oldest, for: try number(0)))
        #expect(try small.spend(newest, for: try number(1_000)))
        #expect(try small.begin(for: try number(500)).isToBeSent == false, "number 500 still has a valid code")
    }

    // MARK: Phone numbers

    @Test(
        "A text that is not an E.164 number is rejected",
        arguments: [
            "", "+", "8613800138000", "+0613800138001", "+861380", "+8613800138000123", "+86138 0013", "+86138001380a", "＋8613800138000",
        ])
    func noNumber(text: String) { #expect(E164Number(text) == nil) }

    @Test("An E.164 number is kept unchanged", arguments: ["+86138001", "+8613800138000", "+123456789012345"])
    func aNumber(text: String) { #expect(E164Number(text)?.text == text) }
}

extension Verifications {
    /// Uses up one code.
    fileprivate func spend(
        _ code: String, for phone: E164Number, from network: SignInNetwork = .unknown
    ) throws(VerificationRefusal) -> Bool {
        try spend([(code, phone)], from: network)
    }
}
