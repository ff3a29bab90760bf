import EventLog
import Testing

// example begins
/// A course has a limited number of places, and a student takes five courses at most: two rules over one event.
enum Courses {
    static let (defined, capacityChanged, subscribed) = (EventType(1), EventType(2), EventType(3))
    static let (course, student) = (TagKind(1), TagKind(2))
    static let schema = Schema(
        types: [defined: "CourseDefined", capacityChanged: "CourseCapacityChanged", subscribed: "StudentSubscribed"],
        tagKinds: [course: "course", student: "student"])
    static let coursesMax = 5

    enum Refusal: Error { case courseExists, noSuchCourse, courseIsFull, tooManyCourses, subscribedAlready }

    static func define(_ id: String, places: UInt8, at now: Timestamp, with writer: LogWriter) async throws {
        let course = Tag(course, id)
        try await writer.decide(on: .tag(course, types: defined)) { known in
            guard known.isEmpty else { throw Refusal.courseExists }
            return [NewEvent(type: defined, time: now, tags: [course], payload: [places])]
        }
    }

    static func changeCapacity(of id: String, to places: UInt8, at now: Timestamp, with writer: LogWriter) async throws {
        let course = Tag(course, id)
        try await writer.decide(on: .tag(course, types: defined, capacityChanged)) { known in
            guard let last = known.last else { throw Refusal.noSuchCourse }
            return last.payload == [places] ? [] : [NewEvent(type: capacityChanged, time: now, tags: [course], payload: [places])]
        }
    }

    static func subscribe(_ name: String, to id: String, at now: Timestamp, with writer: LogWriter) async throws {
        let (course, student) = (Tag(course, id), Tag(student, name))
        let query = Query.items([QueryItem(tags: [course]), QueryItem(types: [subscribed], tags: [student])])
        try await writer.decide(on: query) { known in
            guard let places = known.last(where: { $0.type != subscribed })?.payload.first else { throw Refusal.noSuchCourse }
            let subscriptions = known.filter { $0.type == subscribed }
            let (taken, own) = (subscriptions.filter { $0.tags.contains(course) }, subscriptions.filter { $0.tags.contains(student) })
            if taken.contains(where: { $0.tags.contains(student) }) { throw Refusal.subscribedAlready }
            if taken.count >= places { throw Refusal.courseIsFull }
            if own.count >= coursesMax { throw Refusal.tooManyCourses }
            return [NewEvent(type: subscribed, time: now, tags: [course, student])]
        }
    }
}
// example ends

/// Tests the first example of the documentation page `DCBExamples`.
@Suite(.timeLimit(.minutes(15))) struct CourseSubscriptions {
    private let now = Timestamp(microseconds: 1)

    @Test("The example is the one that the page shows") func page() throws { try expectShown("DCBExamples", block: 0) }

    @Test("Courses fill up, and their capacity can change") func capacity() async throws {
        try await temporary(Courses.schema) { log, writer in
            try await Courses.define("c1", places: 2, at: now, with: writer)
            for student in ["s1", "s2"] { try await Courses.subscribe(student, to: "c1", at: now, with: writer) }
            await #expect(throws: Courses.Refusal.courseIsFull) { try await Courses.subscribe("s3", to: "c1", at: now, with: writer) }
            try await Courses.changeCapacity(of: "c1", to: 3, at: now, with: writer)
            try await Courses.changeCapacity(of: "c1", to: 3, at: now, with: writer)
            try await Courses.subscribe("s3", to: "c1", at: now, with: writer)
            await #expect(throws: Courses.Refusal.subscribedAlready) { try await Courses.subscribe("s3", to: "c1", at: now, with: writer) }
            await #expect(throws: Courses.Refusal.noSuchCourse) { try await Courses.subscribe("s3", to: "c2", at: now, with: writer) }
            await #expect(throws: Courses.Refusal.courseExists) { try await Courses.define("c1", places: 2, at: now, with: writer) }
            #expect(log.head == Position(5))
        }
    }

    @Test("A student gets only five courses, however many tasks compete for the sixth") func coursesOfAStudent() async throws {
        try await temporary(Courses.schema) { log, writer in
            for number in 1...9 { try await Courses.define("c\(number)", places: 9, at: now, with: writer) }
            await withTaskGroup(of: Void.self) { group in
                for number in 1...9 {
                    group.addTask { try? await Courses.subscribe("s1", to: "c\(number)", at: now, with: writer) }
                }
            }
            #expect(log.head == Position(9 + 5))
        }
    }
}
