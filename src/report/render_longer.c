// A length beyond the model's own limit: that it is one, what the model's card offers for it, and what that costs.
#include <stdio.h>

#include "command/setting_flag.h"
#include "report/plan_report.h"
#include "report/safe_text.h"
#include "report/style.h"

static void say_cost(struct kvb_buffer *out, const struct kvb_longer *longer)
{
    static const char *const words[] = {
        [KVB_FITS] = "it fits", [KVB_TIGHT] = "it is tight", [KVB_DOES_NOT_FIT] = "it does not fit"};
    char text[480], need[32], balance[32], weights[32] = "";
    int64_t left = longer->balance_bytes;
    if (longer->weights_bytes > 0) {
        (void)kvb_format_gib(weights, longer->weights_bytes, 2);
    }
    (void)snprintf(text, sizeof text,
                   "Then %s: a request of this length needs %s GiB of KV cache, %s GiB %s%s%s%s. It scales every "
                   "request, short ones too, which can cost quality there.",
                   words[longer->verdict], kvb_format_gib(need, (int64_t)longer->needed_bytes, 2),
                   kvb_format_gib(balance, left < 0 ? -left : left, 2), left < 0 ? "are missing" : "remain",
                   weights[0] != '\0' ? "; rotary tables take " : "", weights, weights[0] != '\0' ? " GiB more" : "");
    kvb_text_add_wrapped(out, text, 2, kvb_page_width(out));
}

void kvb_render_longer_text(struct kvb_buffer *out, const struct kvb_plan_report *report)
{
    const struct kvb_longer *longer = report->longer;
    char text[200], own[32], to[32];
    if (longer == NULL || !longer->asked) {
        return;
    }
    kvb_style_heading(out, report->color, "Longer than the model's own length");
    (void)snprintf(
        text, sizeof text, "%s tokens are the model's own limit. %s%s%s", kvb_format_count(own, longer->own_tokens),
        longer->known ? "For up to " : "No way beyond it is known here.",
        longer->known ? kvb_format_count(to, longer->to_tokens) : "", longer->known ? " its card names YaRN:" : "");
    kvb_text_add_wrapped(out, text, 2, kvb_page_width(out));
    if (longer->known) {
        kvb_text_add_command(out, longer->flag, 4, kvb_page_width(out));
        say_cost(out, longer);
    }
}

void kvb_render_longer_json(struct kvb_json *json, const struct kvb_plan_report *report)
{
    const struct kvb_longer *longer = report->longer;
    if (longer == NULL || !longer->asked) {
        return;
    }
    kvb_json_open_object(json, "longer");
    kvb_json_count(json, "own_tokens", longer->own_tokens);
    if (longer->known) {
        kvb_json_count(json, "to_tokens", longer->to_tokens);
        kvb_json_text(json, "flag", longer->flag);
        kvb_json_text(json, "verdict", kvb_verdict_name(longer->verdict));
        kvb_json_count(json, "needed_bytes", longer->needed_bytes);
        kvb_json_number(json, "balance_bytes", longer->balance_bytes);
        kvb_json_number(json, "weights_bytes", longer->weights_bytes);
    } else {
        kvb_json_null(json, "flag");
    }
    kvb_json_close_object(json);
}
