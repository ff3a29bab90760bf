/// Sets a scene without a word, then lets people speak on the record.
struct Director: Sendable {
    let visitor: Visitor
    let clock: TestClock
    let transcript = Transcript()

    /// A shop with a campaign, its owner and a customer, whose requests are not recorded yet.
    func cast(goal: Int = 3) async throws -> Cast { try await Cast(visitor, goal: goal) }

    func say(_ line: String) { transcript.say(line) }

    /// The same person, on the record.
    func recorded(_ person: Visitor) -> Visitor {
        var person = person
        person.transcript = transcript
        return person
    }

    /// Somebody who is not signed in, on the record.
    var anybody: Visitor {
        var anybody = recorded(visitor)
        anybody.name = "anybody"
        return anybody
    }

    /// An operator, on the record.
    func `operator`() async throws -> Visitor { recorded(try await visitor.signedIn(Stage.operatorPhone, name: "operator")) }
}
