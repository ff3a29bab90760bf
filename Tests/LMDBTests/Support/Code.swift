import LMDB
import Testing

/// The code of the error that `body` throws; nil if it throws none.
func code(_ body: () throws -> Void) -> LMDBError.Code? {
    do {
        try body()
        return nil
    } catch let error as LMDBError {
        return error.code
    } catch {
        Issue.record(error)
        return nil
    }
}

/// The error of opening an environment; nil if it opens.
func openingError(_ directory: String, _ access: Environment.Access) -> LMDBError? {
    do {
        _ = try Environment(directory: directory, access: access)
        return nil
    } catch {
        return error
    }
}
