import AnalyticsClient
import AnalyticsContract
import Foundation

// An app and its keyboard extension in one program, on Linux: records a little of everything and uploads it to a server,
// which `./run` starts. swift run osg-analytics-client-example [http://127.0.0.1:8080]

let address = CommandLine.arguments.dropFirst().first ?? "http://127.0.0.1:8080"
guard let server = URL(string: address) else {
  FileHandle.standardError.write(Data("usage: osg-analytics-client-example [URL OF THE SERVER]\n".utf8))
  exit(2)
}
// On a device: the App Group's container.
let container = NSTemporaryDirectory() + "osg-analytics-client-example"
try FileManager.default.createDirectory(atPath: container, withIntermediateDirectories: true)
let configuration = ClientConfiguration(folder: container, appVersion: "2.1.0", osVersion: "26.1")
let app = AppAnalytics(configuration, transport: URLSessionTransport(server: server))
let keyboard = KeyboardAnalytics(configuration, transport: URLSessionTransport(server: server))

app.opened(by: .appStoreOrganic)
app.used()
let polish = app.begin(.polish, mode: .local)
try await Task.sleep(for: .milliseconds(1200))
polish.succeeded()
app.purchaseViewed()

keyboard.activated()
keyboard.committed("你好，", source: .manual)
keyboard.committed("hello", source: .manual)
keyboard.committed("pasted text is not counted", source: .paste)
keyboard.begin(.transcription, mode: .managed).failed(.network)
keyboard.deactivated()

await keyboard.flush()
let result = await app.uploadAvailable()
print("\(result.items) events and summaries in \(result.batches) batches: \(result.end)")
print(await app.diagnostics())
exit(result.end == .everythingSent ? 0 : 1)
