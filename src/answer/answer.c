// From a deployment to its whole answer, and the words a question was asked in.
#include <kvbudget/answer.h>

#include <string.h>

void kvb_answer_copy(struct kvb_answer *to, const struct kvb_answer *from)
{
    *to = *from;
    to->plan.draft = from->plan.draft != NULL ? &to->draft : NULL;
}

enum kvb_status kvb_answer_deployment(const struct kvb_deployment *deployment, struct kvb_answer *answer,
                                      struct kvb_problems *problems)
{
    enum kvb_status status =
        kvb_deployment_resolve(deployment, &answer->plan, &answer->draft, &answer->source, problems);
    return status == KVB_OK ? kvb_answer_plan(answer, problems) : status;
}

enum kvb_status kvb_answer_plan(struct kvb_answer *answer, struct kvb_problems *problems)
{
    enum kvb_status status = kvb_budget_compute(&answer->plan, &answer->budget, problems);
    return status == KVB_OK ? kvb_advise(&answer->plan, &answer->budget, &answer->advice) : status;
}

bool kvb_names_gpu(const struct kvb_deployment *deployment)
{
    return deployment->inline_gpu || deployment->gpu[0] != '\0' || deployment->gpu_memory_bytes > 0;
}

void kvb_question_keep(struct kvb_question *question, const char *name, const char *value)
{
    if (question->typed_count < KVB_TYPED_MAX) {
        question->typed[question->typed_count++] = (struct kvb_typed){name, value};
    }
}

const char *kvb_question_typed(const struct kvb_question *question, const char *name)
{
    for (uint32_t i = 0; i < question->typed_count; i++) {
        if (strcmp(question->typed[i].name, name) == 0) {
            return question->typed[i].value;
        }
    }
    return NULL;
}
