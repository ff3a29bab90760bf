import Loyalty
import Testing
import World

@Suite struct ProfileTests {
    private let named = ProfileChange(nickname: .set(Sealed([9])), city: .set(Sealed([8])))

    private func account(_ scenario: Scenario) throws -> Account { try #require(scenario.world.account(Sample.customer)) }

    /// Returns the event of an edit that results in this profile.
    private func whole(_ profile: Profile) -> LoyaltyEvent {
        func said(_ value: Sealed?) -> FieldChange<Sealed> { value.map { .set($0) } ?? .cleared }
        return Sample.edited(
            Sample.customer,
            ProfileChange(
                nickname: said(profile.nickname), avatar: said(profile.avatar), gender: said(profile.gender),
                birthday: said(profile.birthday), city: said(profile.city)))
    }

    @Test("An edit of a profile sets the given fields and keeps the others, and its event contains every field")
    func setting() throws {
        let first = Scenario.registered.when(Sample.editProfile(named), by: Sample.customer)
            .then(whole(Profile(nickname: Sealed([9]), city: Sealed([8]))))
        let gender = ProfileChange(gender: .set(Sealed([7])))
        let both = Profile(nickname: Sealed([9]), gender: Sealed([7]), city: Sealed([8]))
        let second = first.when(Sample.editProfile(gender), by: Sample.customer).then(whole(both))
        #expect(try account(second).profile == both)
    }

    @Test("A cleared field is gone, also after edits of older logs, which contain only the changed fields")
    func clearing() throws {
        let cleared = Scenario.registered.given(Sample.edited(Sample.customer, named))
            .when(Sample.editProfile(ProfileChange(nickname: .cleared)), by: Sample.customer)
            .then(whole(Profile(city: Sealed([8]))))
        #expect(try account(cleared).profile == Profile(city: Sealed([8])))
    }

    @Test("An edit of a profile that changes nothing records nothing")
    func noChange() {
        Scenario.registered.when(Sample.editProfile(ProfileChange()), by: Sample.customer).thenNothing()
        Scenario.registered.when(Sample.editProfile(ProfileChange(city: .cleared)), by: Sample.customer).thenNothing()
        Scenario.registered.given(Sample.edited(Sample.customer, named)).when(Sample.editProfile(named), by: Sample.customer).thenNothing()
    }

    @Test("A profile's version is the position of its last edit, and an edit that expects an older one is rejected")
    func lastEdit() throws {
        let edited = Scenario.registered.given(Sample.edited(Sample.customer, named))
        let version = try account(edited).version
        #expect(version == edited.world.position)
        let more = Sample.editProfile(ProfileChange(city: .cleared), expected: ExpectedVersion(oneOf: [version]))
        edited.when(more, by: Sample.customer).thenAccepted()
        let stale = Sample.editProfile(ProfileChange(city: .cleared), expected: ExpectedVersion(oneOf: [version - 1]))
        edited.when(stale, by: Sample.customer).thenRejected(.versionConflict)
    }

    @Test("A new password does not change the profile's version")
    func passwordApart() throws {
        let before = Scenario.registered
        #expect(try account(before.given(Sample.passwordSet())).version == account(before).version)
    }

    @Test("A sealed field that is empty or longer than 512 bytes is rejected")
    func sealedBounds() {
        let long = Sealed(Array(repeating: 1, count: 513))
        let change = ProfileChange(
            nickname: .set(long), avatar: .set(long), gender: .set(long), birthday: .set(long), city: .set(Sealed([])))
        Scenario.registered.when(Sample.editProfile(change), by: Sample.customer)
            .thenInvalid("nickname", "avatar", "gender", "birthday", "city")
    }

    @Test("An edit, a password and an erasure leave other accounts as they were")
    func nobodyElseIsTouched() throws {
        let edited = Scenario.registered.given(Sample.edited(Sample.customer, named), Sample.passwordSet(), Sample.erased())
        #expect(edited.world.account(Sample.stranger) == Scenario.registered.world.account(Sample.stranger))
    }
}
