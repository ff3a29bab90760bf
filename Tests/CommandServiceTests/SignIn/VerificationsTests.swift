import Loyalty
import Seeds
import Testing

@testable import CommandService

/// Codes sent to phones: who gets which, and who may guess.
@Suite("codes sent to phones") struct VerificationsTests {
    private let clock = HandClock()
    private let verifications: Verifications
    private let wrong = "000x00"

    init() {
        verifications = Verifications(randomness: SeededRandomness(seed: Seed.value), clock: clock)
    }

    private func network(_ number: Int) -> SignInNetwork { SignInNetwork(ipv4: UInt32(number) << 8) }

    private func number(_ index: Int) throws -> E164Number { try #require(E164Number("+1\(2_000_000_000 + index)")) }

    /// Whether a code signed in; nil where it was not looked at.
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

    @Test("A code is its own phone's only")
    func owner() throws {
        let code = try verifications.begin(for: phone(1)).code
        #expect(spend(code, of: phone(2)) == false)
        #expect(spend(code) == true)
    }

    @Test("A code holds for five minutes by the clock that nobody sets")
    func expiry() throws {
        let early = try verifications.begin(for: phone(1)).code
        clock.move(bySeconds: 299)
        #expect(spend(early) == true)
        let late = try verifications.begin(for: phone(1)).code
        clock.set(bySeconds: -86_400)
        clock.move(bySeconds: 300)
        #expect(spend(late) == false)
    }

    @Test("Asking again within its life gives the same code and the same end, and a message a minute at most")
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

    @Test("A message that could not be sent is made up for by whoever asks next")
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

    // MARK: Guessing

    @Test("Whoever asked for a code has five tries at it, and then waits for the next one")
    func fiveTries() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        for _ in 0..<5 { #expect(spend(wrong, from: network(1)) == false) }
        #expect(throws: VerificationRefusal.wait(seconds: 300)) { try verifications.spend(code, for: phone(1), from: network(1)) }
        clock.move(bySeconds: 300)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("Strangers who guess without end never make the holder's right code fail")
    func victim() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        var looked = 0
        for stranger in 2..<1_000 {
            for _ in 0..<4 where spend(wrong, from: network(stranger)) != nil { looked += 1 }
        }
        #expect(looked == 100, "the purse of all strangers together")
        #expect(spend(code, from: network(1)) == true)
    }

    @Test("One strange network has three tries at a code")
    func strangerTries() throws {
        _ = try verifications.begin(for: phone(1), from: network(1))
        #expect((0..<10).count { _ in spend(wrong, from: network(2)) != nil } == 3)
    }

    @Test("Askers beyond the third are strangers, and the holder who comes first at the next code is in")
    func askers() throws {
        for asker in 2...4 { _ = try verifications.begin(for: phone(1), from: network(asker)) }
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        for stranger in 10..<100 { for _ in 0..<3 { _ = spend(wrong, from: network(stranger)) } }
        #expect(spend(code, from: network(1)) == nil, "a stranger to this code, and their purse is empty")
        clock.move(bySeconds: 300)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("A network from which the number signed in tries whatever strangers did")
    func known() throws {
        #expect(spend(try verifications.begin(for: phone(1), from: network(1)).code, from: network(1)) == true)
        for asker in 2...4 { _ = try verifications.begin(for: phone(1), from: network(asker)) }
        for stranger in 10..<100 { for _ in 0..<3 { _ = spend(wrong, from: network(stranger)) } }
        let code = try verifications.begin(for: phone(1), from: network(5)).code
        #expect(spend(code, from: network(1)) == true)
    }

    /// The arithmetic of the type's comment, counted: every code of a day, guessed by every network that may.
    @Test("In a day all networks together look at fewer than a thousand codes of one number")
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
        #expect(guesses < 1_000, "\(guesses)")
    }

    @Test("Past a thousand wrong codes in an hour strangers are refused and everybody else is slowed, and still gets in")
    func breaker() throws {
        let code = try verifications.begin(for: phone(1), from: network(1)).code
        #expect(!verifications.isBreakerOpen)
        // Each guess is an asker's own first one: nothing but the total slows them.
        for index in 0..<1_000 {
            _ = try verifications.begin(for: try number(index), from: network(1_000 + index))
            #expect(spend(wrong, from: network(1_000 + index), of: try number(index)) == false)
        }
        #expect(verifications.isBreakerOpen)
        #expect(spend(wrong, from: network(2)) == nil, "a stranger")
        #expect(spend(code, from: network(1)) == true)
        let next = try verifications.begin(for: phone(1), from: network(1)).code
        for _ in 0..<4 { #expect(spend(wrong, from: network(1)) == false) }
        #expect(throws: VerificationRefusal.wait(seconds: 5)) { try verifications.spend(next, for: phone(1), from: network(1)) }
        let other = try verifications.begin(for: phone(2), from: network(3)).code
        #expect(spend(wrong, from: network(3), of: phone(2)) == false)
        #expect(spend(other, from: network(3), of: phone(2)) == nil, "one try at each code while many fail")
        clock.move(bySeconds: 5)
        #expect(spend(next, from: network(1)) == true)
    }

    @Test("A flood of numbers takes no more than so much memory, and the oldest code gives way")
    func flood() throws {
        let small = Verifications(randomness: SeededRandomness(seed: Seed.value), clock: clock, pendingMax: 1_000)
        let oldest = try small.begin(for: try number(0)).code
        var newest = ""
        for index in 1...1_000 { newest = try small.begin(for: try number(index)).code }
        #expect(try !small.spend(oldest, for: try number(0)))
        #expect(try small.spend(newest, for: try number(1_000)))
        #expect(try small.begin(for: try number(500)).isToBeSent == false, "it is still out")
    }

    // MARK: Numbers

    @Test(
        "What is no E.164 number is none",
        arguments: [
            "", "+", "8613800138000", "+0613800138001", "+861380", "+8613800138000123", "+86138 0013", "+86138001380a", "＋8613800138000",
        ])
    func noNumber(text: String) { #expect(E164Number(text) == nil) }

    @Test("An E.164 number is kept as it is", arguments: ["+86138001", "+8613800138000", "+123456789012345"])
    func aNumber(text: String) { #expect(E164Number(text)?.text == text) }
}
