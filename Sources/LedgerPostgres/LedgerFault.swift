import PostgresDriver
import TillLedger

extension LedgerError {
    /// What a refusal of PostgreSQL means for a call; every one but damage may be over at the next.
    init(_ error: PostgresError) {
        let code: Code =
            switch error.kind {
            case .connectionLost, .timedOut, .notAdmitted: .unreachable
            case .exhausted: .overloaded
            case .canceled: .busy
            case .serialization, .duplicateKey: .contended
            case .readOnly, .notPermitted: .readOnly
            case .full: .full
            case .inputOutput: .inputOutput
            case .corrupt: .damaged
            case .badValue, .unknownName, .other: .unexpected
            }
        self.init(code, error.description)
    }

    /// What a refusal means when the database is opened, where nobody was served yet.
    init(opening error: PostgresError) {
        switch error.kind {
        case .notAdmitted, .notPermitted: self.init(.cannotOpen, error.description)
        default: self.init(error)
        }
    }
}
