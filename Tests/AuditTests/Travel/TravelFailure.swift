/// Thrown when a value that the test expected is missing.
struct TravelFailure: Error {}
