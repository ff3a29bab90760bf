import CommandService
import Composition

/// Sets up the scene of a use case without recording it, then records the requests of its participants.
struct Director: Sendable {
    let visitor: Visitor
    let clock: TestClock
    let service: GreenTea
    let transcript = Transcript()

    /// A shop with a campaign, its owner and a customer. Their requests are not recorded yet.
    func cast(goal: Int = 3) async throws -> Cast { try await Cast(visitor, goal: goal) }

    func say(_ line: String) { transcript.say(line) }

    /// Advances the clock, and runs the scheduled actions that are due by then.
    func wait(seconds: Int64) async throws {
        clock.advance(seconds: seconds)
        try await service.runDue()
    }

    /// The same visitor, whose requests are recorded from now on.
    func recorded(_ person: Visitor) -> Visitor {
        var person = person
        person.transcript = transcript
        return person
    }

    /// A recorded visitor who is not signed in.
    var anybody: Visitor {
        var anybody = recorded(visitor)
        anybody.name = "anybody"
        return anybody
    }

    /// A recorded operator.
    func `operator`() async throws -> Visitor { recorded(try await visitor.signedIn(Stage.operatorPhone, name: "operator")) }
}
