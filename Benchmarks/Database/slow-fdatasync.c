// Loaded into PostgreSQL before the C library: while the file MARKER is there, fdatasync, which PostgreSQL flushes its log
// with, takes MILLISECONDS longer.
#define _GNU_SOURCE
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

int fdatasync(int descriptor) {
  if (access(MARKER, F_OK) == 0) {
    struct timespec left = {MILLISECONDS / 1000, MILLISECONDS % 1000 * 1000000L};
    while (nanosleep(&left, &left) != 0) {
    }
  }
  return (int)syscall(SYS_fdatasync, descriptor);
}
