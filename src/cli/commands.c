// The command table: one row per command. Help, manual, schemas and completion are rows of it and print it, so that
// these files stand in a circle.
#include "cli/commands.h"

#include <string.h>

#define TEXT (1U << FORMAT_TEXT)
#define PICTURES (1U << FORMAT_SVG | 1U << FORMAT_HTML)
#define TEXT_AND_JSON (TEXT | 1U << FORMAT_JSON)

static const struct command_row rows[] = {
    {
        .name = "plan",
        .operands = "[PROFILE.yaml|MODEL]",
        .summary = "Will it start, where does each byte go, what to set instead?",
        .details = "Settings are taken from flags first, then the serve command behind --, then the profile, then "
                   "the engine's defaults. Exit code 0: it starts; 1: it does not.\n",
        .schema = "kvbudget.plan/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_MACHINE | OPTIONS_ENGINE | OPTIONS_PLAN | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON | PICTURES,
        .operands_max = 1,
        .takes_serve_command = true,
        .run = kvb_run_plan,
    },
    {
        .name = "models",
        .operands = "",
        .summary = "Which models start on this GPU, how long, how many at once?",
        .details = "Plans every built-in model on --gpu, with the length of --need-len or --max-model-len, or else "
                   "the first 8,192 tokens of its own. Shows the best of each family, then what just misses; --all "
                   "shows every model. Exit code 0: one starts; 1: none does.\n",
        .schema = "kvbudget.models/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_MACHINE | OPTIONS_ENGINE | OPTIONS_MODELS | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON | PICTURES,
        .run = kvb_run_models,
    },
    {
        .name = "sweep",
        .operands = "",
        .summary = "Plan every combination of models, GPUs, releases and settings.",
        .details = "Values are lists and ranges: --gpu l4,2xh100 --max-model-len 8k..128k:x2 "
                   "--gpu-memory-utilization 0.8..0.95:+0.05. Two that vary make a grid. Exit code 0: one of them "
                   "starts; 1: none does.\n",
        .schema = "kvbudget.sweep/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_ENGINE | OPTIONS_SWEEP | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON | 1U << FORMAT_JSONL | 1U << FORMAT_CSV | 1U << FORMAT_MARKDOWN | PICTURES,
        .varies = true,
        .run = kvb_run_sweep,
    },
    {
        .name = "check",
        .operands = "PATH...",
        .summary = "Do all deployments in these files pass? The gate in CI.",
        .details = "Reads vllm serve lines in scripts, Dockerfiles, systemd units and Procfiles, compose files, "
                   "Kubernetes and KServe manifests, Helm values, --config files, rollout keys and profiles; a "
                   "folder is searched. Flags stand above what the files say. Exit code 0: all pass; 1: one fails; "
                   "3: one cannot be understood.\n",
        .schema = "kvbudget.check/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_ENGINE | OPTIONS_CHECK | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON | 1U << FORMAT_GITHUB | 1U << FORMAT_MARKDOWN | 1U << FORMAT_JUNIT |
                   1U << FORMAT_SARIF | PICTURES,
        .operands_min = 1,
        .operands_max = OPERANDS_MAX,
        .run = kvb_run_check,
    },
    {
        .name = "explain",
        .operands = "[LOG|-]",
        .summary = "What do this run's numbers say, what fixes it, what would not?",
        .details = "Reads standard input when no LOG is named. Flags add what the log leaves out, most usefully "
                   "--gpu or --gpu-memory and --gpu-memory-utilization. Exit code 0: a healthy start, or the cause "
                   "was found; 1: unknown, incomplete, or a failure of another kind.\n",
        .schema = "kvbudget.explain/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_ENGINE | OPTIONS_EXPLAIN | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON | 1U << FORMAT_GITHUB | PICTURES,
        .operands_max = 1,
        .run = kvb_run_explain,
    },
    {
        .name = "record",
        .operands = "[LOG|-]",
        .summary = "Make one row of facts for the field record from a start's log.",
        .details = "Shows the row, the plan of the same start beside it, and the line of the table; nothing else of "
                   "the log is kept: no paths, hosts, keys or prompts. Flags, or a serve command behind --, add what "
                   "the log leaves out and stand above it. Exit code 0: a row was made; 3: the log says too little.\n",
        .schema = "kvbudget.record/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_ENGINE | OPTIONS_RECORD | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON,
        .operands_max = 1,
        .takes_serve_command = true,
        .run = kvb_run_record,
    },
    {
        .name = "profiles",
        .operands = "list|show NAME|check FILE...|import PATH",
        .summary = "List, show, check or import models, GPUs and engines.",
        .details = "list takes a kind (models, gpus, engines, deployments), a part of a name, or both.\n",
        .schema = "kvbudget.profiles/1",
        .option_sets = OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON,
        .operands_min = 1,
        .operands_max = OPERANDS_MAX,
        .run = kvb_run_profiles,
    },
    {
        .name = "hub",
        .operands = "list|prune [NAME]|pull NAME...",
        .summary = "Models fetched from a hub: list, drop, fetch anew.",
        .details = "pull takes OWNER/NAME, OWNER/NAME@REVISION or OWNER/NAME:Q4_K_M of a GGUF file. Fetched are "
                   "configs and the headers of the weights, never weights. HF_ENDPOINT, HF_TOKEN and HTTPS_PROXY are "
                   "heeded. Exit code 4: the hub does not give it.\n",
        .schema = "kvbudget.hub/1",
        .option_sets = OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON,
        .operands_min = 1,
        .operands_max = OPERANDS_MAX,
        .run = kvb_run_hub,
    },
    {
        .name = "probe",
        .operands = "[PROFILE.yaml|MODEL]",
        .summary = "Which GPUs are here, what is free, which one for this deployment?",
        .details = "Asks the NVIDIA driver, or reads --gpu-state FILE; --gpu narrows to N, N,N, a MIG slice N:M or a "
                   "name. With a model the GPUs are ranked for it. Exit code 0: listed, or one starts it; 1: none "
                   "does; 4: no driver answers.\n",
        .schema = "kvbudget.probe/1",
        .option_sets = OPTIONS_DEPLOYMENT | OPTIONS_MACHINE | OPTIONS_ENGINE | OPTIONS_OUTPUT,
        .formats = TEXT_AND_JSON,
        .operands_max = 1,
        .takes_serve_command = true,
        .run = kvb_run_probe,
    },
    {
        .name = "completion",
        .operands = "bash|zsh|fish|models|gpus|engines|deployments",
        .summary = "Print the completion script of a shell.",
        .details = "bash: source <(kvbudget completion bash); zsh: source <(kvbudget completion zsh); fish:\n"
                   "kvbudget completion fish | source. The other words print the names that are built in.\n",
        .option_sets = 0,
        .formats = TEXT,
        .operands_min = 1,
        .operands_max = 1,
        .run = kvb_run_completion,
    },
    {
        .name = "schema",
        .operands = "COMMAND|request",
        .summary = "Print the JSON Schema of a document.",
        .details = "Of what COMMAND prints with --json, or of a request to the library's one call.\n",
        .option_sets = 0,
        .formats = TEXT,
        .operands_min = 1,
        .operands_max = 1,
        .run = kvb_run_schema,
    },
    {
        .name = "manual",
        .operands = "[COMMAND|profile|policy|library]",
        .summary = "Print a page of the manual.",
        .details = "To read one: kvbudget manual plan | man -l -\n",
        .option_sets = 0,
        .formats = TEXT,
        .operands_max = 1,
        .run = kvb_run_manual,
    },
    {
        .name = "help",
        .operands = "[COMMAND [ENGINE]]",
        .summary = "Explain a command and its flags.",
        .details = "",
        .option_sets = 0,
        .formats = TEXT,
        .operands_max = 2,
        .run = kvb_run_help,
    },
};

const struct command_row *kvb_commands_all(size_t *count)
{
    *count = sizeof rows / sizeof rows[0];
    return rows;
}

const struct command_row *kvb_commands_find(const char *name)
{
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        if (strcmp(rows[i].name, name) == 0) {
            return &rows[i];
        }
    }
    return NULL;
}
