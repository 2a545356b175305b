// What file.c does with a descriptor once it is open; interrupted calls go on.
#ifndef KVB_TEXT_DESCRIPTOR_H
#define KVB_TEXT_DESCRIPTOR_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <sys/types.h>

#include <kvbudget/problem.h>

// Adds "cannot read: No such file" for "read" and the number of a system error.
enum kvb_status kvb_system_problem(struct kvb_problems *problems, enum kvb_status status, const char *path,
                                   const char *what, int error);

// As read(): the next bytes, 0 at the end, -1 with errno.
ssize_t kvb_descriptor_read(int descriptor, char *out, size_t size);
// Exactly `length` bytes from an offset: 0, or the number of a system error.
int kvb_descriptor_read_at(int descriptor, uint64_t offset_bytes, void *out, size_t length);
// All of it; false with errno.
bool kvb_descriptor_write(int descriptor, const char *text, size_t length);

#endif
