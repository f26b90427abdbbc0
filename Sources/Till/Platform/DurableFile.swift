#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

#if canImport(Darwin)
    import Darwin
#elseif canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#endif

/// Files that are there whole or not at all, also after a power cut: written beside, synced, renamed,
/// and the folder synced too.
enum DurableFile {
    static func replace(
        _ path: String, with bytes: Data, in folder: String
    ) throws(DiskFault) {
        // Two processes, such as an app and its extension, never write one draft.
        let draft = "\(path).\(getpid())-\(nextDraft()).new"
        let file = open(draft, O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0o600)
        guard file >= 0 else { throw fault("open", draft) }
        let isWritten = write(bytes, to: file) && sync(file)
        let isClosed = close(file) == 0
        guard isWritten, isClosed else {
            let fault = fault("write", draft)
            unlink(draft)
            throw fault
        }
        guard rename(draft, path) == 0 else { throw fault("rename", draft) }
        syncFolder(folder)
    }

    private static let drafts = Locked(0)

    private static func nextDraft() -> Int {
        drafts.withLock { number in
            number += 1
            return number
        }
    }

    static func remove(_ path: String, in folder: String) {
        guard unlink(path) == 0 else { return }
        syncFolder(folder)
    }

    private static func write(_ bytes: Data, to file: Int32) -> Bool {
        bytes.withUnsafeBytes { buffer in
            var rest = buffer[...]
            while !rest.isEmpty {
                let count = unsafeWrite(file, UnsafeRawBufferPointer(rebasing: rest))
                if count < 0 && errno == EINTR { continue }
                guard count > 0 else { return false }
                rest = rest.dropFirst(count)
            }
            return true
        }
    }

    private static func unsafeWrite(_ file: Int32, _ buffer: UnsafeRawBufferPointer) -> Int {
        #if canImport(Darwin)
            Darwin.write(file, buffer.baseAddress, buffer.count)
        #elseif canImport(Glibc)
            Glibc.write(file, buffer.baseAddress, buffer.count)
        #else
            Musl.write(file, buffer.baseAddress, buffer.count)
        #endif
    }

    private static func sync(_ file: Int32) -> Bool {
        #if canImport(Darwin)
            // fsync leaves the bytes in the drive's cache there (fcntl(2), F_FULLFSYNC).
            if fcntl(file, F_FULLFSYNC) == 0 { return true }
        #endif
        return fsync(file) == 0
    }

    private static func syncFolder(_ folder: String) {
        let handle = open(folder, O_RDONLY | O_CLOEXEC)
        guard handle >= 0 else { return }
        _ = fsync(handle)
        _ = close(handle)
    }

    private static func fault(_ action: String, _ path: String) -> DiskFault {
        DiskFault(detail: "\(action) \(path): errno \(errno)")
    }
}
