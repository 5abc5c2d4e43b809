import Glibc

/// The standard process metrics, read from `/proc` and `getrusage` at each scrape. What can't be read is left out.
public struct ProcessMetrics: MetricSource {
  private let startTime: Double?

  /// Notes when the process started.
  public init() { startTime = ProcessFacts.startTime() }

  /// The names that Prometheus client libraries share.
  public var names: [StaticString] {
    [
      "process_resident_memory_bytes", "process_virtual_memory_bytes", "process_cpu_seconds_total",
      "process_open_fds", "process_max_fds", "process_start_time_seconds",
    ]
  }

  /// Reads and writes all of them.
  public func write(to text: inout ExpositionText) {
    if let memory = ProcessFacts.memory() {
      text.heading("process_resident_memory_bytes", "Resident memory size in bytes.", .gauge)
      text.sample("process_resident_memory_bytes", memory.resident)
      text.heading("process_virtual_memory_bytes", "Virtual memory size in bytes.", .gauge)
      text.sample("process_virtual_memory_bytes", memory.virtual)
    }
    if let seconds = ProcessFacts.processorSeconds() {
      text.heading("process_cpu_seconds_total", "User and system processor time spent in seconds.", .counter)
      text.sample("process_cpu_seconds_total", seconds)
    }
    if let count = ProcessFacts.openDescriptors() {
      text.heading("process_open_fds", "Open file descriptors.", .gauge)
      text.sample("process_open_fds", count)
    }
    if let limit = ProcessFacts.descriptorLimit() {
      text.heading("process_max_fds", "File descriptors that may be open at most.", .gauge)
      text.sample("process_max_fds", limit)
    }
    if let startTime {
      text.heading("process_start_time_seconds", "Start of the process in seconds since 1970.", .gauge)
      text.sample("process_start_time_seconds", startTime)
    }
  }
}
