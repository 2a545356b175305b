// Reading and writing until all is done, and what the system says when it cannot be.
#include "text/descriptor.h"

#include <errno.h>
#include <string.h>
#include <unistd.h>

#include "base/text.h"

enum kvb_status kvb_system_problem(struct kvb_problems *problems, enum kvb_status status, const char *path,
                                   const char *what, int error)
{
    char reason[128];
    if (strerror_r(error, reason, sizeof reason) != 0) {
        (void)kvb_copy(reason, sizeof reason, "unknown reason");
    }
    return kvb_problem_add(problems, KVB_ERROR, status, (struct kvb_place){.file = path}, "cannot %s: %s", what,
                           reason);
}

ssize_t kvb_descriptor_read(int descriptor, char *out, size_t size)
{
    ssize_t got;
    do {
        got = read(descriptor, out, size);
    } while (got < 0 && errno == EINTR);
    return got;
}

int kvb_descriptor_read_at(int descriptor, uint64_t offset_bytes, void *out, size_t length)
{
    char *next = out;
    while (length > 0) {
        ssize_t got = pread(descriptor, next, length, (off_t)offset_bytes);
        if (got < 0 && errno == EINTR) {
            continue;
        }
        if (got <= 0) {
            return got < 0 ? errno : EIO;
        }
        next += got;
        offset_bytes += (uint64_t)got;
        length -= (size_t)got;
    }
    return 0;
}

bool kvb_descriptor_write(int descriptor, const char *text, size_t length)
{
    while (length > 0) {
        ssize_t put = write(descriptor, text, length);
        if (put < 0 && errno == EINTR) {
            continue;
        }
        if (put <= 0) {
            return false;
        }
        text += put;
        length -= (size_t)put;
    }
    return true;
}
