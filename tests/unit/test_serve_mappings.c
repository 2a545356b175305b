// Flags whose value is a mapping or a list in JSON, by arg_utils.py, cli_args.py and the fields of vllm/config at the
// tags named, and the bounds of fields that are real numbers: ge, gt, le and lt of Field() there, asked at every tag.
#include <string.h>

#include "unit/judged_lines.h"
#include "unit/plans.h"
#include "unit/release_tags.h"

static void broken_mappings_are_refused(void **state)
{
    (void)state;
    static const struct {
        uint32_t release;
        const char *flags;
    } rows[] = {
        {R(27, 0),
         "additional-config allowed-headers allowed-methods allowed-origins attention-config compilation-config "
         "default-chat-template-kwargs diffusion-config ec-transfer-config eplb-config hf-overrides ir-op-priority "
         "kernel-config kv-events-config kv-transfer-config limit-mm-per-prompt media-io-kwargs mm-processor-kwargs "
         "model-loader-extra-config override-generation-config pooler-config profiler-config quantization-config "
         "reasoning-config speculative-config structured-outputs-config weight-transfer-config fault-tolerance-config "
         "model-class-overrides"},
        {R(28, 0), "ec-manager-config"},
        {R(9, 2), "rope-scaling override-neuron-config override-pooler-config"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (const char *at = rows[i].flags; *at != '\0'; at += strspn(at, " ")) {
            char line[96], start[96];
            size_t size = strcspn(at, " ");
            (void)snprintf(line, sizeof line, "\n--%.*s {\"a\"", (int)size, at);
            (void)snprintf(start, sizeof start, "argument --%.*s: ", (int)size, at);
            const char *said = judged(rows[i].release, line);
            if (strncmp(said, start, strlen(start)) != 0) {
                fail_msg("%s: '%s'", start, said);
            }
            at += size;
        }
    }
}

// None is no mapping at all, alone or before another flag; a word that only begins so is broken.
static void short_forms_and_none(void **state)
{
    (void)state;
    static const struct judged_row rows[] = {
        {R(27, 0), "\n-ac {\"a\"", "argument --attention-config: "},
        {R(27, 0), "\n-cc {\"a\"", "argument --compilation-config: "},
        {R(27, 0), "\n-dc {\"a\"", "argument --diffusion-config: "},
        {R(27, 0), "\n-sc {\"a\"", "argument --speculative-config: "},
        {R(27, 0), "\n--hf-overrides None", TAKEN},
        {R(27, 0), "\n--hf-overrides None\n--port 1", TAKEN},
        {R(27, 0), "\n--hf-overrides Nono\n--port 1", "argument --hf-overrides: "},
        {R(27, 0), "\n--hf-overrides Nones", "argument --hf-overrides: "},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        const char *said = judged(rows[i].release, rows[i].lines), *text = rows[i].text;
        if (*text == '\0' ? *said != '\0' : strncmp(said, text, strlen(text)) != 0) {
            fail_msg("%s: '%s'", rows[i].lines, said);
        }
    }
}

static const struct {
    uint32_t since;
    const char *flag, *refused, *taken; // values
} bounds[] = {
    {R(12, 0), "kv-cache-metrics-sample", "0 1.01 -0.1", "0.001 1"},
    {R(25, 0), "max-logprobs", "-2", "-1 0 20"},
    {R(21, 0), "mm-encoder-fp8-scale-save-margin", "0 -1", "0.1 2"},
    {R(11, 1), "mm-processor-cache-gb", "-0.5", "0 4"},
    {R(11, 1), "mm-shm-cache-max-object-size-mb", "-1", "0"},
    {R(11, 1), "video-pruning-rate", "-0.1 1", "0 0.999"},
    {R(24, 0), "watermark", "-0.1 1", "0 0.999"},
};

static bool is_out_of_bounds(const char *flag, const char *value, size_t size, uint32_t release)
{
    static struct kvb_plan plan;
    static struct kvb_deployment deployment;
    struct kvb_engine engine;
    char line[96];
    (void)snprintf(line, sizeof line, "\n--%s %.*s", flag, (int)size, value);
    give_lines(release, line, &deployment, &engine);
    make_llama_plan(&plan, release);
    plan.model.encoder.family = KVB_ENCODER_QWEN25_VL;
    plan.command_error[0] = '\0';
    kvb_vllm_judge_bounds(&deployment, &plan);
    return strstr(plan.command_error, ": Input should be ") != NULL;
}

static unsigned walk_values(size_t row, const char *values, uint32_t release, bool refused)
{
    unsigned wrong = 0;
    for (const char *at = values; *at != '\0'; at += strspn(at, " ")) {
        size_t size = strcspn(at, " ");
        if (is_out_of_bounds(bounds[row].flag, at, size, release) != refused) {
            print_error("--%s %.*s at %u\n", bounds[row].flag, (int)size, at, release);
            wrong++;
        }
        at += size;
    }
    return wrong;
}

static void bounds_at_every_tag(void **state)
{
    (void)state;
    uint32_t tags[TAGS_MAX];
    unsigned wrong = 0;
    size_t count = tags_since(R(9, 0), tags);
    for (size_t tag = 0; tag < count; tag++) {
        for (size_t i = 0; i < sizeof bounds / sizeof bounds[0]; i++) {
            wrong += walk_values(i, bounds[i].refused, tags[tag], tags[tag] >= bounds[i].since);
            wrong += walk_values(i, bounds[i].taken, tags[tag], false);
        }
    }
    assert_int_equal(wrong, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(broken_mappings_are_refused),
        cmocka_unit_test(short_forms_and_none),
        cmocka_unit_test(bounds_at_every_tag),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
