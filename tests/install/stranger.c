// A program outside the project: one deployment by hand, answered through the public headers alone.
#include <stdio.h>
#include <stdlib.h>

#include <kvbudget/kvbudget.h>

struct answer {
    struct kvb_deployment deployment;
    struct kvb_plan plan;
    struct kvb_model draft;
    struct kvb_model_source source;
    struct kvb_budget budget;
    struct kvb_problems problems;
};

static const char profile[] = "kind: deployment\nschema: 1\n"
                              "model:\n  name: example/small\n  source: made up\n  config:\n"
                              "    architectures: [LlamaForCausalLM]\n    torch_dtype: bfloat16\n"
                              "    hidden_size: 4096\n    num_hidden_layers: 32\n    num_attention_heads: 32\n"
                              "    num_key_value_heads: 8\n    intermediate_size: 14336\n    vocab_size: 128256\n"
                              "    max_position_embeddings: 131072\n"
                              "gpu_memory: 24GiB\nsettings: {max_model_len: 8192}\n";

int main(void)
{
    struct answer *answer = calloc(1, sizeof *answer);
    if (answer == NULL) {
        return 1;
    }
    kvb_problems_init(&answer->problems);
    kvb_deployment_init(&answer->deployment);
    enum kvb_status status =
        kvb_deployment_read("inline", profile, sizeof profile - 1, &answer->deployment, &answer->problems);
    if (status == KVB_OK) {
        status = kvb_deployment_resolve(&answer->deployment, &answer->plan, &answer->draft, &answer->source,
                                        &answer->problems);
    }
    if (status == KVB_OK) {
        status = kvb_budget_compute(&answer->plan, &answer->budget, &answer->problems);
    }
    // 2 x 32 layers x 8 KV heads x 128 x 2 bytes x 8192 tokens = 1 GiB.
    int wrong = status != KVB_OK || answer->budget.needed_bytes != KVB_GIB;
    printf("%s, %s\n", kvb_status_name(status), kvb_verdict_name(answer->budget.verdict));
    free(answer);
    return wrong;
}
