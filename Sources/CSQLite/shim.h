#include <sqlite3.h>

// sqlite3_db_config takes variable arguments, which Swift can't pass.
static inline void osg_sqlite3_checkpoints_on_close(sqlite3 *database, int checkpoints) {
  sqlite3_db_config(database, SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, !checkpoints, (int *)0);
}
