// What an exception's own words make of it: a wrapper, a consequence, memory of the host or of the GPU, or a cause.
#include <string.h>

#include "logs/causes.h"
#include "unit/test.h"

// Sentences as PyTorch, Triton, vLLM, SGLang, TGI, llama.cpp, Python and the C++ library write them.
static void classes(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        enum kvb_cause_class class;
    } rows[] = {
        {"RuntimeError: Engine core initialization failed. See root cause above.", KVB_CAUSE_WRAPPER},
        {"RuntimeError: Engine core initialization failed: CUDA out of memory.", KVB_CAUSE_OOM}, // says what
        {"ray.exceptions.ActorDiedError: The actor died unexpectedly before finishing this task.", KVB_CAUSE_WRAPPER},
        {"ConnectionResetError: [Errno 104] Connection reset by peer", KVB_CAUSE_CONSEQUENCE},
        {"BrokenPipeError: [Errno 32] Broken pipe", KVB_CAUSE_CONSEQUENCE},
        {"KeyboardInterrupt", KVB_CAUSE_CONSEQUENCE},
        {"ValueError: x", KVB_CAUSE_PLAIN},
        {"RuntimeError: No CUDA GPUs are available", KVB_CAUSE_ADVISED},
        {"torch.OutOfMemoryError: CUDA out of memory. Tried to allocate 2.00 GiB.", KVB_CAUSE_OOM},
        {"RuntimeError: CUDA driver error: out of memory", KVB_CAUSE_OOM},
        {"jaxlib.xla_extension.XlaRuntimeError: RESOURCE_EXHAUSTED: Out of memory allocating 1 bytes.", KVB_CAUSE_OOM},
        {"MemoryError", KVB_CAUSE_HOST},
        {"std::bad_alloc", KVB_CAUSE_HOST},
        {"OSError: [Errno 12] Cannot allocate memory", KVB_CAUSE_HOST},
        {"RuntimeError: [enforce fail at alloc_cpu.cpp:118] err == 0. DefaultCPUAllocator: can't allocate memory: you "
         "tried to allocate 1 bytes.",
         KVB_CAUSE_HOST},
        {"numpy.core._exceptions.MemoryError: Unable to allocate 1.00 GiB for an array", KVB_CAUSE_HOST},
        {"RuntimeError: unable to allocate CUDA_Host buffer", KVB_CAUSE_HOST},
        {"RuntimeError: unable to allocate CPU buffer", KVB_CAUSE_HOST},
        {"RuntimeError: unable to allocate CUDA0 buffer", KVB_CAUSE_OOM}, // llama-model.cpp: of that device
        {"RuntimeError: unable to allocate ROCm1 buffer", KVB_CAUSE_OOM},
        {"RuntimeError: unable to allocate Vulkan0 buffer", KVB_CAUSE_OOM},
        {"RuntimeError: unable to allocate Vulkan_Host buffer", KVB_CAUSE_HOST},
        // words of the host beside those of a card: the card's
        {"torch.OutOfMemoryError: CUDA out of memory. Unable to allocate 2.00 GiB.", KVB_CAUSE_OOM},
        {"OutOfMemoryError: CUDA ran out; system memory is not used.", KVB_CAUSE_OOM},
        {"CudaOutOfMemoryError: Unable to allocate 2.00 GiB.", KVB_CAUSE_OOM},
        {"RuntimeError: CUDA out of memory. CPU buffer of 2.00 GiB.", KVB_CAUSE_OOM},
        // memory on the chip, tokens of a pool and rows of a table are none of the card's
        {"triton.runtime.errors.OutOfResources: out of resource: shared memory, Required: 98304, Hardware limit: "
         "65536. "
         "Reducing block sizes or `num_stages` may help.",
         KVB_CAUSE_ADVISED},
        {"RuntimeError: out of memory: shared memory of a block", KVB_CAUSE_PLAIN},
        {"OutOfResources: out of memory of the chip", KVB_CAUSE_PLAIN},
        {"RuntimeError: alloc_req_slots runs out of memory. Please set a smaller number for `--max-running-requests`.",
         KVB_CAUSE_ADVISED},
        {"RuntimeError: Prefill out of memory. Try to lower your batch size.", KVB_CAUSE_ADVISED},
        {"RuntimeError: Decode out of memory. Try to lower your batch size.", KVB_CAUSE_ADVISED},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (kvb_cause_class_of(rows[i].text) != rows[i].class) {
            fail_msg("'%s': %d", rows[i].text, (int)kvb_cause_class_of(rows[i].text));
        }
    }
    assert_true(kvb_cause_of_pool("RuntimeError: Prefill out of memory. Try to lower your batch size."));
    assert_false(kvb_cause_of_pool("RuntimeError: Prefill out of memory."));
    // The second word of a row has to be there, too.
    assert_non_null(kvb_cause_of("Repo model a/b is gated. You must be authenticated to access it."));
    assert_null(kvb_cause_of("the road is gated"));
}

KVB_TEST_MAIN(cmocka_unit_test(classes))
