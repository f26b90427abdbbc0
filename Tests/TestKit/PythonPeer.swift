import Foundation

/// The Python that `make peers` installs, which runs the peers of `Tests/Peers`.
public enum PythonPeer {
    private static let root = URL(filePath: #filePath).deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent()

    /// Its path; nil where it is not installed.
    public static let path: String? = {
        let path = root.appending(path: ".venv/bin/python").path
        return FileManager.default.isExecutableFile(atPath: path) ? path : nil
    }()

    /// Its path; nil where it lacks the package.
    public static func path(with package: String) -> String? {
        guard let path,
            let outcome = try? TillProcess.run(["-c", "import \(package)"], program: path)
        else { return nil }
        return outcome.exitCode == 0 ? path : nil
    }

    /// The path of a script of `Tests/Peers`.
    public static func script(_ name: String) -> String {
        root.appending(path: "Tests/Peers/\(name)").path
    }
}
