// Says whether a serve command starts on a GPU:  starts l4 vllm serve Qwen/Qwen3-8B --max-model-len 8192
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

static struct kvb_deployment deployment; // large structs: not on the stack
static struct kvb_answer answer;
static struct kvb_problems problems;

int main(int count, char **words)
{
    if (kvb_init() != KVB_OK || count < 3 || strlen(words[1]) >= sizeof deployment.gpu) {
        fprintf(stderr, "usage: starts GPU vllm serve MODEL [flags]; library %s\n", kvb_version());
        return 2;
    }
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    strcpy(deployment.gpu, words[1]);
    enum kvb_status status =
        kvb_serve_command_read(count - 2, (const char *const *)words + 2, &deployment, &problems);
    if (status == KVB_OK) {
        status = kvb_answer_deployment(&deployment, &answer, &problems);
    }
    if (status != KVB_OK) {
        fprintf(stderr, "%s\n", problems.count > 0 ? problems.items[0].text : kvb_status_name(status));
        return kvb_status_exit_code(status);
    }
    char cache[32];
    printf("%s: %s GiB of KV cache, %llu tokens\n", kvb_verdict_name(answer.budget.verdict),
           kvb_format_gib(cache, answer.budget.items[KVB_ITEM_KV_CACHE].bytes, 2),
           (unsigned long long)answer.budget.kv.tokens);
    return answer.budget.starts ? 0 : 1;
}
