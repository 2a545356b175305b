// Values whose form is looked at behind the parser's own types.
#ifndef KVB_ENGINES_LLAMACPP_SERVE_FORMS_H
#define KVB_ENGINES_LLAMACPP_SERVE_FORMS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#define KVB_LLAMA_JUDGED 256
#define KVB_LLAMA_SHOWN 60 // of a word in a sentence

// Whether the value of a flag that names devices or overrides is refused; what it says is added to `out`. `gpus` are
// as many as are stated, 0: nobody says.
bool kvb_llama_form_is_refused(const char *flag, const char *value, size_t size, uint32_t gpus,
                               char out[KVB_LLAMA_JUDGED]);
// What is said of a repository that is to be downloaded; NULL: nothing. `lines`: kvb_deployment.serve_flags.
const char *kvb_llama_repository_refusal(const char *lines, uint32_t build);

#endif
