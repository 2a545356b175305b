// Engines with a Python interface: vLLM's LLM() and its like, SGLang's Engine() and ServerArgs().
// Source: vllm/engine/arg_utils.py; sgl-project/sglang, python/sglang/srt/entrypoints/engine.py and server_args.py.
#include "manifest/python_engines.h"

#include <string.h>

#include "base/text.h"

static const struct kvb_py_package packages[] = {
    {"vllm",
     {"import vllm", "vllm import", "from vllm", "vllm.LLM"},
     NULL,
     false,
     false,
     {"base_url", "api_key"},
     {"enable_prefix_caching", "enable_chunked_prefill", "async_scheduling"}},
    {"sglang", {"import sglang", "from sglang"}, "--model-path", true, true, {"base_url"}, {NULL}},
};

static const struct kvb_py_class classes[] = {
    {"LLM", &packages[0], true, true, "model", NULL},
    {"AsyncEngineArgs", &packages[0], false, false, "model", NULL},
    {"EngineArgs", &packages[0], true, false, "model", NULL},
    {"AsyncOmni", &packages[0], false, true, "model", NULL},
    {"VLLM", &packages[0], true, false, "model", "vllm_kwargs"},
    {"Vllm", &packages[0], true, false, "model", "vllm_kwargs"},
    {"vLLMEngineProcessorConfig", &packages[0], true, false, "model_source", "engine_kwargs"},
    {"Engine", &packages[1], true, true, "model_path", NULL},
    {"Runtime", &packages[1], false, true, "model_path", NULL},
    {"ServerArgs", &packages[1], false, true, "model_path", NULL},
    {"SGLangEngineProcessorConfig", &packages[1], true, false, "model_source", "engine_kwargs"},
};

unsigned kvb_py_imports(const char *text)
{
    unsigned found = 0;
    for (unsigned i = 0; i < sizeof packages / sizeof packages[0]; i++) {
        for (size_t k = 0; k < sizeof packages[i].imports / sizeof packages[i].imports[0]; k++) {
            bool holds = packages[i].imports[k] != NULL && strstr(text, packages[i].imports[k]) != NULL;
            found |= holds ? 1U << i : 0;
        }
    }
    return found;
}

const struct kvb_py_class *kvb_py_class_of(unsigned imports, const char *name)
{
    for (size_t i = 0; i < sizeof classes / sizeof classes[0]; i++) {
        unsigned bit = 1U << (classes[i].package - packages);
        if (strcmp(name, classes[i].callee) == 0 && (!classes[i].needs_import || (imports & bit) != 0)) {
            return &classes[i];
        }
    }
    return NULL;
}

const struct kvb_py_package *kvb_py_package_in(const char *text)
{
    for (size_t i = 1; text != NULL && i < sizeof packages / sizeof packages[0]; i++) {
        if (kvb_contains_ignoring_case(text, packages[i].name)) {
            return &packages[i];
        }
    }
    return &packages[0];
}

const char *kvb_py_dashed(struct kvb_manifest *manifest, const char *flag)
{
    char name[96];
    (void)kvb_copy(name, sizeof name, flag);
    for (char *c = name; *c != '\0'; c++) {
        *c = *c == '_' ? '-' : *c;
    }
    return kvb_manifest_copy(manifest, name, strlen(name));
}
