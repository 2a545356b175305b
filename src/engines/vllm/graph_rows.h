// What logs say of CUDA graphs where the engine's code cannot: one figure a line, with the runs it was taken from
// (ids of tests/field/runs.csv). docs/formulas.md shows how each was made.
#ifndef KVB_ENGINES_VLLM_GRAPH_ROWS_H
#define KVB_ENGINES_VLLM_GRAPH_ROWS_H

// Really taken, V1: 0.32 GiB and 0.0167 GiB a layer for 51 piecewise and 51 full graphs. h100-0190-*.
#define GRAPHS_PER_ESTIMATE 102
#define GRAPH_BASE_MIB 328
#define GRAPH_LAYER_KIB 17512
// Really taken, V0: 0.20 MiB a layer and graph; three times that with adapters.
#define GRAPH_V0_KIB_PER_LAYER 205
#define GRAPH_LORA_FACTOR 3

// The estimate's parts, as the debug lines of 0.19 print them ("Estimated FULL CUDA graph memory: 262.00 MiB
// first-capture + (51-1) x 6.00 MiB per-graph"): 60 runs h100-0190-*; device memory grows in steps of 2 MiB.
#define GRAPH_FULL_FIRST_KIB (4ULL << 10)              // beside the attention's workspace: 2 to 8
#define GRAPH_PIECEWISE_FIRST_HOPPER_KIB (80ULL << 10) // beside one layer's tensors: 68 to 96, GEMM workspaces
#define GRAPH_PIECEWISE_FIRST_KIB (37ULL << 10)        // fp8 on Hopper: 34 to 50; other cards: 30 to 40
#define GRAPH_STATE_FIRST_KIB (150ULL << 10)           // recurrent kernels: 56 to 290 on an L40S and two 48 GB cards
#define GRAPH_PIECEWISE_KIB (-3072)                    // 4 MiB at 26 layers, 6 at 32 to 42, 10 at 46, 18 at 80
#define GRAPH_PIECEWISE_LAYER_KIB 225
#define GRAPH_FULL_KIB 0 // 4 MiB at 26 and 28 layers, 6 at 42, 8 at 48, 12 at 80
#define GRAPH_FULL_LAYER_KIB 154
#define GRAPH_EXPERTS_KIB 3072 // gpt-oss-20b, Qwen3-30B-A3B, Mixtral, DeepSeek-V2-Lite, Qwen1.5-MoE, Kimi-VL
// Range in percent of the likely value: three of 60 took 20 MiB more a piecewise graph, a segment of torch's.
#define GRAPH_LOW 70
#define GRAPH_HIGH 150
#define GRAPH_STATE_LOW 40
#define GRAPH_STATE_HIGH 250

#endif
