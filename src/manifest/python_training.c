// A trainer of TRL in Python: its configuration says how it generates, the trainer names the model.
#include <string.h>

#include "base/text.h"
#include "manifest/manifest_rollout.h"
#include "manifest/python.h"

static void keep_configuration(struct kvb_py *py, const struct kvb_py_value *arguments, size_t offset)
{
    py->training = (struct kvb_words){0};
    py->training_offset = offset;
    for (uint32_t i = 0; i < arguments->count; i++) {
        if (arguments->items[i].key != NULL) {
            kvb_py_serve_setting(py, kvb_py_package_in(NULL), &arguments->items[i], &py->training);
        }
    }
}

void kvb_py_training(struct kvb_py *py, const char *name, const struct kvb_py_value *arguments, size_t offset)
{
    const struct kvb_py_value *uses = kvb_py_item(arguments, "use_vllm");
    if (uses != NULL && kvb_ends_with(name, "Config") && uses->kind == KVB_PY_WORD && strcmp(uses->text, "True") == 0) {
        keep_configuration(py, arguments, offset);
        return;
    }
    if (py->training.count == 0 || !kvb_ends_with(name, "Trainer") || py->status != KVB_OK) {
        return;
    }
    struct kvb_manifest *manifest = py->reader.manifest;
    const struct kvb_py_value *model = kvb_py_item(arguments, "model");
    struct kvb_container container = kvb_py_container(py, py->training_offset);
    container.name = kvb_manifest_join(manifest, name, "()", "");
    container.words = py->training;
    py->training = (struct kvb_words){0};
    if (model != NULL && model->text != NULL) {
        bool known = model->kind == KVB_PY_TEXT;
        kvb_words_say(manifest, &container.words, "--model_name_or_path", model->offset);
        kvb_words_add(manifest, &container.words,
                      (struct kvb_arg){known ? model->text : kvb_manifest_join(manifest, "$", model->text, ""),
                                       model->offset, known ? model->unknown : model->text});
    }
    if (kvb_rollout_starts(&container.words)) {
        py->status = kvb_rollout_emit(manifest, &container);
    }
}
