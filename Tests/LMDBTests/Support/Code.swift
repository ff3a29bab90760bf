import LMDB
import Testing

/// The code that `body` throws; nil when it throws nothing.
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

/// The error of opening an environment; nil when it opens.
func openingError(_ directory: String, _ access: Environment.Access, _ options: Environment.Options = .init()) -> LMDBError? {
    do {
        _ = try Environment(directory: directory, access: access, options: options)
        return nil
    } catch {
        return error
    }
}
