// SHA-1 (FIPS 180-4) of a short text: it names and divides, it protects nothing.
#ifndef KVB_BASE_SHA1_H
#define KVB_BASE_SHA1_H

#include <stddef.h>

#define KVB_SHA1_HEX 41

// Forty hexadecimal digits and a NUL.
char *kvb_sha1(char out[KVB_SHA1_HEX], const char *text, size_t length);

#endif
