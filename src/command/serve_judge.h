// What a release's own argument parser says of a serve command.
#ifndef KVB_COMMAND_SERVE_JUDGE_H
#define KVB_COMMAND_SERVE_JUDGE_H

#include <kvbudget/input.h>

// Its sentence, or "" when it takes every flag.
void kvb_serve_judge(const struct kvb_deployment *deployment, uint32_t release, char out[256]);

#endif
