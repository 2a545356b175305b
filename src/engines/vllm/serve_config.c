// Files of vllm serve --config, by release.
// Source: FlexibleArgumentParser of vllm/utils.py to v0.9.1, vllm/utils/__init__.py to v0.11.0, then
// vllm/utils/argparse_utils.py: parse_args, _pull_args_from_config, load_config_file.
#include <string.h>

#include "engines/vllm/release_tables.h"
#include "engines/vllm/serve.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TRUTHS_SINCE R(6, 4)      // before, each value is written behind its flag
#define TAG_SINCE R(6, 3)         // the model is the word behind serve
#define TAG_IN_FILE_SINCE R(8, 3) // or in the file
#define MODULE_SINCE R(10, 2)     // before, the first word was taken for a subcommand, and left in front
#define MODEL_FLAG_SINCE R(11, 1) // --model is moved to the front

// Those of StoreBoolean, by the name that the parser keeps them under: with underscores.
static bool spells(const char *key, uint32_t release)
{
    unsigned matches;
    if (release < TRUTHS_SINCE) {
        return true;
    }
    const struct kvb_known_flag *row = kvb_flag_of(key, strlen(key), release, &matches);
    return row != NULL && row->values == 'B' && strchr(key, '-') == NULL && strlen(row->name) == strlen(key);
}

static const char *refuses_module(const struct kvb_config_line *line, uint32_t release)
{
    bool behind = line->config_first || line->splits;
    return release < MODULE_SINCE && behind ? "before 0.10.2 its keys go behind the first word of the line, which "
                                              "takes them from its value; start it with vllm serve"
                                            : NULL;
}

static const char *refuses(const struct kvb_config_line *line, uint32_t release)
{
    if (line->module) {
        return refuses_module(line, release);
    }
    bool flag = line->model_flag && release >= MODEL_FLAG_SINCE;
    if (line->model_first || flag) {
        return NULL;
    }
    if (line->model_flag && release >= TAG_IN_FILE_SINCE) {
        return "with vllm serve the model is the word behind serve, or in the file, not --model";
    }
    if (release >= TAG_IN_FILE_SINCE) {
        return line->model_inside ? NULL : "the model has to be the word behind serve, or in the file";
    }
    bool lacks = release >= TAG_SINCE || line->model_flag || line->model_inside;
    return lacks ? "the model has to be the word behind serve; 0.8.3 and later take it from the file, too" : NULL;
}

const struct kvb_config_rules kvb_vllm_config = {
    .lists = R(10, 2),
    .mappings = R(16, 0),
    .spells = spells,
    .refuses = refuses,
};
