// What --fit decided in public logs, decided again: a page's table, and how many have to agree.
//   fits FITS.csv [LEAST]     with a number it fails when fewer agree
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "engines/llamacpp/start.h"
#include "starts.h"

#define MIB (1ULL << 20)
#define ALL 9999U

static const char *const decisions[] = {
    [KVB_LLAMA_UNCHANGED] = "unchanged", [KVB_LLAMA_CONTEXT_REDUCED] = "context", [KVB_LLAMA_LAYERS_MOVED] = "layers",
    [KVB_LLAMA_BOTH] = "both",           [KVB_LLAMA_LEFT_TO_THE_USER] = "left",
};

// The file's size is known from the log: the mixture's tensors are stretched to it.
static void stretch(struct kvb_llama_run *run, uint64_t weights_bytes)
{
    static struct kvb_llama_buffers whole;
    uint64_t sum = 0;
    kvb_llama_lasting_buffers(run, &whole);
    for (uint32_t i = 0; i < run->devices; i++) {
        sum += whole.places[i].model_bytes;
    }
    run->weights_ppm = weights_bytes > 0 && sum > 0 ? (uint32_t)(weights_bytes / (sum / 1000000)) : 0;
}

static void decide(struct start *start, struct kvb_llama_start *out)
{
    const char *words = start->settings;
    memset(out, 0, sizeof *out);
    start->run.gpu_layers = start->model.layer_count + 1;
    stretch(&start->run, start_number(words, "weights", 0) * MIB);
    out->run = start->run;
    out->context_said = start_number(words, "said_c", 0) != 0;
    out->layers_said = start_number(words, "said_ngl", 0) != 0;
    out->fits_itself = true;
    out->free_bytes = start_number(words, "free", 0) * MIB;
    out->margin_bytes = start_number(words, "margin", 1024) * MIB;
    out->shortest_tokens = 4096;
    out->asked_tokens = out->run.context_tokens;
    kvb_llama_fit(out);
}

int main(int argc, char **argv)
{
    static struct start start;
    static struct kvb_llama_start made;
    unsigned count = 0, agree = 0;
    FILE *file = argc > 1 ? fopen(argv[1], "r") : NULL;
    if (file == NULL || fscanf(file, "%*[^\n]%*c") == EOF) {
        return 2;
    }
    (void)printf("\n## What --fit decided\n\nIn `tests/llamacpp/fits.csv`, as logs say it: nothing is changed, the "
                 "context is shortened to so many tokens, so many layers stay on the GPU,\nboth, or it is left to the "
                 "user.\n\n| start | class | logged | here | tokens | layers |\n|---|---|---|---|---|---|\n");
    while (start_next(file, &start)) {
        decide(&start, &made);
        const char *said = decisions[made.decision];
        bool same = strncmp(start.observed, said, strlen(said)) == 0;
        count++;
        agree += same;
        (void)printf("| [%s](%s) | %s | %s | %s%s | %" PRIu64 " | %" PRIu32 " |\n", start.id, start.source,
                     start.architecture, start.observed, said, same ? "" : " (differs)", made.run.context_tokens,
                     made.run.gpu_layers);
    }
    (void)fclose(file);
    (void)printf("\n%u of %u decisions agree.\n", agree, count);
    return argc > 2 && agree < (unsigned)strtoul(argv[2], NULL, 10);
}
