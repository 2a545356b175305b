// What several rules ask of a card, each written once.
#ifndef KVB_BUDGET_GPU_FACTS_H
#define KVB_BUDGET_GPU_FACTS_H

// Compute capabilities, ten times major.minor.
#define KVB_CAPABILITY_TURING 75
#define KVB_CAPABILITY_AMPERE 80
#define KVB_CAPABILITY_ADA 89
#define KVB_CAPABILITY_HOPPER 90
#define KVB_CAPABILITY_BLACKWELL 100          // 10.0 and 10.3: data centre
#define KVB_CAPABILITY_THOR 110               // the first one behind the data centre's
#define KVB_CAPABILITY_CONSUMER_BLACKWELL 120 // 12.0 and 12.1
#define KVB_CAPABILITY_MAJOR(capability) ((capability) / 10)

// What a process that does nothing special holds on a GPU: CUDA context and libraries. Public logs of single-GPU
// starts lie around it (docs/formulas.md); engines whose logs say more have rows of their own.
#define KVB_CUDA_CONTEXT_BYTES (512ULL << 20)
#define KVB_CUDA_CONTEXT_LOW_BYTES (256ULL << 20)
#define KVB_CUDA_CONTEXT_HIGH_BYTES (1ULL << 30)

#endif
