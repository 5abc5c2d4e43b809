#ifndef OSG_CMICROHTTPD_H
#define OSG_CMICROHTTPD_H

// What Swift can't call of libmicrohttpd by itself: functions with variable arguments, and the constants in their place.

#include <microhttpd.h>
#include <stdbool.h>
#include <stddef.h>
#include <sys/types.h>

/// How a daemon is started. Pointers are borrowed until the daemon has stopped.
struct CMicroHTTPDSettings {
  /// A bound, listening, non-blocking socket; the daemon closes it when it stops.
  int listening_socket;
  /// 1 or more.
  unsigned int threads;
  /// For all threads together; at least as many as threads.
  unsigned int connection_limit;
  /// Bytes of a connection's memory pool: request line, headers and read buffer.
  size_t connection_memory;
  /// Seconds without a byte in either direction after which a connection ends.
  unsigned int idle_timeout;
  /// PEM text, terminated by a NUL, or NULL for plain HTTP.
  const char *certificate;
  const char *key;
  /// Handed to every callback.
  void *context;
  MHD_AccessHandlerCallback access;
  /// Called with the raw request target as soon as a request line is complete; its result becomes `con_cls`.
  void *(*request_line)(void *context, const char *target, struct MHD_Connection *connection);
  MHD_RequestCompletedCallback completed;
  MHD_NotifyConnectionCallback connection;
};

/// Starts a daemon that polls with epoll on its own threads and allows suspended connections. NULL when it can't.
struct MHD_Daemon *CMicroHTTPDStart(const struct CMicroHTTPDSettings *settings);

/// The connection's socket.
int CMicroHTTPDSocket(struct MHD_Connection *connection);

/// The bytes from the request's method to the end of its header lines.
size_t CMicroHTTPDHeadSize(struct MHD_Connection *connection);

/// The pointer that the connection callback kept for the connection.
void *CMicroHTTPDSocketContext(struct MHD_Connection *connection);

/// Writes into the TLS session of a connection without blocking, on the daemon's thread of that connection only.
/// The number of bytes taken, or a negative number.
ssize_t CMicroHTTPDSendTLS(struct MHD_Connection *connection, const void *bytes, size_t count);

#endif
