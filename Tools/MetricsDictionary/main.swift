import Reporting

// Writes docs/ANALYTICS_METRICS_DICTIONARY.md to standard output.
print(MetricsDictionary.markdown, terminator: "")
