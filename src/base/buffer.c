// Growable text: doubling, sticky failure.
#include "base/buffer.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "base/memory.h"

#define FIRST_CAPACITY ((size_t)256)

void kvb_buffer_init(struct kvb_buffer *buffer)
{
    *buffer = (struct kvb_buffer){0};
}

void kvb_buffer_free(struct kvb_buffer *buffer)
{
    kvb_free(buffer->data);
    kvb_buffer_init(buffer);
}

const char *kvb_buffer_text(const struct kvb_buffer *buffer)
{
    return buffer->failed || buffer->data == NULL ? "" : buffer->data;
}

// Makes room for `more` bytes and the NUL.
static bool grow(struct kvb_buffer *buffer, size_t more)
{
    if (buffer->failed) {
        return false;
    }
    if (more < buffer->capacity - buffer->length) {
        return true;
    }
    if (more > SIZE_MAX / 4 - buffer->length) {
        buffer->failed = true;
        return false;
    }
    size_t capacity = buffer->capacity ? buffer->capacity : FIRST_CAPACITY;
    while (capacity - buffer->length <= more) {
        capacity *= 2;
    }
    char *data = kvb_reallocate(buffer->data, capacity);
    if (!data) {
        buffer->failed = true;
        return false;
    }
    buffer->data = data;
    buffer->capacity = capacity;
    return true;
}

void kvb_buffer_add_n(struct kvb_buffer *buffer, const char *text, size_t length)
{
    if (!grow(buffer, length)) {
        return;
    }
    if (length > 0) {
        memcpy(buffer->data + buffer->length, text, length);
    }
    buffer->length += length;
    buffer->data[buffer->length] = '\0';
}

void kvb_buffer_add(struct kvb_buffer *buffer, const char *text)
{
    kvb_buffer_add_n(buffer, text, strlen(text));
}

void kvb_buffer_fill(struct kvb_buffer *buffer, char c, size_t count)
{
    if (!grow(buffer, count)) {
        return;
    }
    memset(buffer->data + buffer->length, c, count);
    buffer->length += count;
    buffer->data[buffer->length] = '\0';
}

void kvb_buffer_printf(struct kvb_buffer *buffer, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    va_list again;
    va_copy(again, arguments);
    int length = vsnprintf(NULL, 0, format, arguments);
    va_end(arguments);
    if (length < 0) {
        buffer->failed = true;
    } else if (grow(buffer, (size_t)length)) {
        (void)vsnprintf(buffer->data + buffer->length, (size_t)length + 1, format, again);
        buffer->length += (size_t)length;
    }
    va_end(again);
}
