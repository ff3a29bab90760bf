/// What a test expected was not there.
struct TravelFailure: Error {}
