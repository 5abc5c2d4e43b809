#include "CMicroHTTPD.h"

#include <gnutls/gnutls.h>
#include <stdint.h>
#include <string.h>

/// Request targets stay as they were sent: decoding them here would make %2F a separator and cut at %00.
static size_t keep_escapes(void *context, struct MHD_Connection *connection, char *text) {
  (void)context;
  (void)connection;
  return strlen(text);
}

struct MHD_Daemon *CMicroHTTPDStart(const struct CMicroHTTPDSettings *settings) {
  struct MHD_OptionItem tls[] = {
    {MHD_OPTION_HTTPS_MEM_CERT, 0, (void *)settings->certificate},
    {MHD_OPTION_HTTPS_MEM_KEY, 0, (void *)settings->key},
    {MHD_OPTION_HTTPS_PRIORITIES, 0, (void *)"NORMAL:-VERS-ALL:+VERS-TLS1.3:+VERS-TLS1.2"},
    {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_OptionItem pool[] = {
    {MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)settings->threads, NULL},
    {MHD_OPTION_END, 0, NULL},
  };
  struct MHD_OptionItem none[] = {{MHD_OPTION_END, 0, NULL}};

  unsigned int flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_ITC;
  if (settings->certificate) flags |= MHD_USE_TLS;
  return MHD_start_daemon(
    flags, 0, NULL, NULL, settings->access, settings->context,
    MHD_OPTION_LISTEN_SOCKET, (MHD_socket)settings->listening_socket,
    MHD_OPTION_CONNECTION_LIMIT, settings->connection_limit,
    MHD_OPTION_CONNECTION_MEMORY_LIMIT, settings->connection_memory,
    MHD_OPTION_CONNECTION_TIMEOUT, settings->idle_timeout,
    MHD_OPTION_NOTIFY_COMPLETED, settings->completed, settings->context,
    MHD_OPTION_NOTIFY_CONNECTION, settings->connection, settings->context,
    MHD_OPTION_URI_LOG_CALLBACK, settings->request_line, settings->context,
    MHD_OPTION_UNESCAPE_CALLBACK, &keep_escapes, NULL,
    MHD_OPTION_ARRAY, settings->threads > 1 ? pool : none,  // the library refuses a pool of one
    MHD_OPTION_ARRAY, settings->certificate ? tls : none,
    MHD_OPTION_END);
}

int CMicroHTTPDSocket(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
  return info ? info->connect_fd : -1;
}

size_t CMicroHTTPDHeadSize(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_REQUEST_HEADER_SIZE);
  return info ? info->header_size : 0;
}

void *CMicroHTTPDSocketContext(struct MHD_Connection *connection) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
  return info ? info->socket_context : NULL;
}

ssize_t CMicroHTTPDSendTLS(struct MHD_Connection *connection, const void *bytes, size_t count) {
  const union MHD_ConnectionInfo *info = MHD_get_connection_info(connection, MHD_CONNECTION_INFO_GNUTLS_SESSION);
  if (!info || !info->tls_session) return -1;
  return gnutls_record_send((gnutls_session_t)info->tls_session, bytes, count);
}
