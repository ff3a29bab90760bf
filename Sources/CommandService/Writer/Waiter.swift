/// A submission together with the task that waits for its outcome.
struct Waiter: Sendable {
    let submission: Submission
    let resume: @Sendable (Result<Acceptance, ServiceError>) -> Void
}
