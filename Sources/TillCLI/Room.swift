@main
enum TillCommand {
    static func main() {}
}
