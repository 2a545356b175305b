// Included before every file: functions that wasi-libc does not declare, and where no helper program is.
#ifndef KVB_WEB_ABSENT_H
#define KVB_WEB_ABSENT_H

#define KVB_LIBEXEC ""
#define KVB_LIBEXEC_FROM_BIN ""

char *realpath(const char *path, char *resolved);
int pipe(int ends[2]);
int fchmod(int descriptor, unsigned mode);

#endif
