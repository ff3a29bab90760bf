/// One record of a CSV file, or what is wrong with it.
struct CSVRecord: Equatable {
    /// The line on which it begins, from 1.
    let line: Int
    let fields: Result<[String], RecordFault>
}
