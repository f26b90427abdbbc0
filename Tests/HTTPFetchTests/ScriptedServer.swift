import Dispatch
import Synchronization
import TestKit

/// A server on loopback that reads a request's head and then does what its script says.
final class ScriptedServer: Sendable {
    let port: Int
    private let listening: RawSocket
    private let heads = Mutex<[String]>([])

    /// Serves every connection with the same script, one after the other, until it is gone.
    init?(_ script: @escaping @Sendable (RawSocket) -> Void) {
        guard let (socket, port) = RawSocket.listening() else { return nil }
        listening = socket
        self.port = port
        DispatchQueue(label: "scripted server").async { [weak self] in
            while let connection = socket.accept() {
                let head = connection.receiveAll { $0.contains("\r\n\r\n") }
                guard let self else { return }
                heads.withLock { $0.append(head) }
                script(connection)
            }
        }
    }

    deinit { listening.close() }

    var url: String { "http://127.0.0.1:\(port)/" }

    /// What the requests looked like on the wire, one for each connection.
    var received: [String] { heads.withLock { $0 } }
}
