/// One thing that is wrong with a configuration, and where.
public struct ConfigurationFault: Sendable, Hashable, CustomStringConvertible {
    /// The place: `apps[0].products["x"].credits.coins`; empty for the file as a whole.
    public let path: String
    /// What is wrong with it.
    public let text: String

    /// Place and text on one line.
    public var description: String { path.isEmpty ? text : "\(path): \(text)" }
}

/// A configuration with which the server does not start: all that is wrong with it.
public struct ConfigurationError: Error, Sendable, CustomStringConvertible {
    /// At least one fault, in the order of the file's sections.
    public let faults: [ConfigurationFault]

    /// Makes an error of faults.
    public init(faults: [ConfigurationFault]) { self.faults = faults }

    /// One line a fault.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}
