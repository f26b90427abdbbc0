import Foundation
import SignedDataCoding

/// Input that cannot be read, or not to its end.
struct InputError: Error {
    /// The file's path, or what stands for it.
    let what: String
}

/// The file or the standard input out of which proofs come.
///
/// What is there is given at once: whoever writes a line and waits for the answer gets it.
struct ProofInput {
    /// The most bytes that are given at a time.
    static let chunkBytes = 4 << 20

    private let name: String
    private let handle: FileHandle
    private var buffer: [UInt8] = []
    private var isAtEnd = false

    /// Opens the file, or takes the standard input for `-` and for no path.
    init(path: String?) throws(InputError) {
        guard let path, path != "-" else {
            (name, handle) = ("standard input", .standardInput)
            return
        }
        guard let handle = FileHandle(forReadingAtPath: path) else { throw InputError(what: path) }
        (name, self.handle) = (path, handle)
    }

    /// The bytes that come next, at least one; none at the end.
    mutating func next() throws(InputError) -> ArraySlice<UInt8> {
        if buffer.isEmpty { buffer = [UInt8](repeating: 0, count: Self.chunkBytes) }
        var filled = 0
        // A pipe gives little at a time; what is there already is taken together, for all cores to share.
        while !isAtEnd, filled < buffer.count, filled == 0 || hasMore {
            let count = try read(from: filled)
            isAtEnd = count == 0
            filled += count
        }
        return buffer[..<filled]
    }

    /// Waits for bytes, puts them into the buffer from a place on, and returns how many came.
    private mutating func read(from start: Int) throws(InputError) -> Int {
        var count: Int
        repeat {
            count = buffer.withUnsafeMutableBytes { bytes in
                let rest = UnsafeMutableRawBufferPointer(rebasing: bytes[start...])
                return Foundation.read(handle.fileDescriptor, rest.baseAddress, rest.count)
            }
        } while count < 0 && errno == EINTR
        guard count >= 0 else { throw InputError(what: name) }
        return count
    }

    /// Whether there is something to read without waiting, the end included.
    private var hasMore: Bool {
        var descriptor = pollfd(fd: handle.fileDescriptor, events: Int16(POLLIN), revents: 0)
        return poll(&descriptor, 1, 0) > 0
    }

    /// Everything, up to one byte over what a proof may have, which is enough to refuse it for its length.
    mutating func all() throws(InputError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count <= ClientProof.maximumBytes {
            let chunk = try next()
            guard !chunk.isEmpty else { break }
            bytes += chunk
        }
        return bytes
    }
}
