// Any bytes as a log: bounded, no crash, printable results, and the same answer whatever the pieces.
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <kvbudget/logs.h>

static void require_printable(const char *text)
{
    for (; *text != '\0'; text++) {
        if ((unsigned char)*text < 0x20 || *text == 0x7f) {
            abort();
        }
    }
}

static void read_in_pieces(const uint8_t *data, size_t size, size_t piece, struct kvb_log_report *report)
{
    struct kvb_log_reader *reader = kvb_log_reader_new();
    if (reader == NULL) {
        return;
    }
    for (size_t at = 0; at < size; at += piece) {
        kvb_log_reader_feed(reader, (const char *)data + at, size - at < piece ? size - at : piece);
    }
    kvb_log_reader_finish(reader, report);
    kvb_log_reader_free(reader);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static struct kvb_log_report report;
    static struct kvb_log_report again;
    struct kvb_log_given given;
    read_in_pieces(data, size, size + 1, &report);
    read_in_pieces(data, size, 7, &again);
    if (memcmp(&report, &again, sizeof report) != 0) {
        abort();
    }
    kvb_log_given_init(&given);
    given.gpu_memory_bytes = UINT64_C(25) << 30;
    given.model_known = true;
    given.bytes_per_token = 12288;
    kvb_log_explain(&report, &given);
    require_printable(report.failure.text);
    require_printable(report.model);
    require_printable(report.gpu);
    require_printable(report.version);
    for (uint32_t i = 0; i < report.closest_count; i++) {
        require_printable(report.closest[i].text);
    }
    for (uint32_t i = 0; i < report.remedy_count; i++) {
        require_printable(report.remedies[i].why);
    }
    return 0;
}
