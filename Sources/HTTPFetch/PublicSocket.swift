import CCurl

#if canImport(Glibc)
    import Glibc
#elseif canImport(Musl)
    import Musl
#else
    import Darwin
#endif

/// Opens a socket for a public address and refuses any other: after the name was resolved, so that no name
/// can lead to another address than the one that was looked at.
func openPublicSocket(
    _ context: UnsafeMutableRawPointer?, _ purpose: curlsocktype,
    _ target: UnsafeMutablePointer<curl_sockaddr>?
) -> curl_socket_t {
    let refused = curl_socket_t(-1)
    guard let target = unsafe target,
        let offset = MemoryLayout<curl_sockaddr>.offset(of: \curl_sockaddr.addr)
    else { return refused }
    // `addr` is declared as the short form and holds `addrlen` bytes.
    let start = unsafe UnsafeRawPointer(target).advanced(by: offset)
    let bytes = unsafe [UInt8](
        UnsafeRawBufferPointer(start: start, count: Int(target.pointee.addrlen)))
    let isPublic =
        switch unsafe target.pointee.family {
        case AF_INET: bytes.count >= 8 && PublicAddress.isPublic(ipv4: Array(bytes[4..<8]))
        case AF_INET6: bytes.count >= 24 && PublicAddress.isPublic(ipv6: Array(bytes[8..<24]))
        default: false
        }
    guard isPublic else { return refused }
    let file = unsafe socket(
        target.pointee.family, target.pointee.socktype, target.pointee.protocol)
    if file >= 0 { _ = fcntl(file, F_SETFD, FD_CLOEXEC) }
    return file
}

/// Milliseconds of a clock that never goes back.
func steadyMilliseconds() -> Int {
    var time = timespec()
    _ = unsafe clock_gettime(CLOCK_MONOTONIC, &time)
    return time.tv_sec * 1_000 + time.tv_nsec / 1_000_000
}
