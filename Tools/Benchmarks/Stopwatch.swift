/// Seconds that `work` takes.
func seconds(_ work: () async throws -> Void) async rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try await work()
    return (clock.now - begin) / .seconds(1)
}

/// Seconds that `work` takes.
func blockingSeconds(_ work: () throws -> Void) rethrows -> Double {
    let clock = ContinuousClock()
    let begin = clock.now
    try work()
    return (clock.now - begin) / .seconds(1)
}
