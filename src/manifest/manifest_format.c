// Which kind of text a file is, by its name and its first words: one row a format.
#include "manifest/manifest_format.h"

#include <string.h>

#include "base/text.h"

// The name without endings of templates: "serve.sh.j2" is a script.
const char *kvb_manifest_plain_name(struct kvb_manifest *manifest)
{
    static const char *const templates[] = {".j2",       ".jinja2", ".jinja",   ".tpl",    ".tmpl",    ".gotmpl",
                                            ".template", ".in",     ".example", ".sample", ".disabled"};
    const char *name = kvb_last_part(manifest->file);
    for (size_t i = 0; i < sizeof templates / sizeof templates[0]; i++) {
        if (kvb_ends_with(name, templates[i])) {
            return kvb_manifest_copy(manifest, name, strlen(name) - strlen(templates[i]));
        }
    }
    return name;
}

bool kvb_manifest_is_yaml(const char *path)
{
    return kvb_ends_with(path, ".yaml") || kvb_ends_with(path, ".yml") || kvb_ends_with(path, ".json") ||
           kvb_ends_with(path, ".jsonc");
}

// The first line that is no comment and not empty.
static bool is_unit(const struct kvb_manifest *manifest)
{
    return strstr(manifest->text, "[Service]") != NULL && strstr(manifest->text, "ExecStart=") != NULL;
}

// By its name, or by a PARAMETER, which no Dockerfile has.
static bool is_modelfile(const struct kvb_manifest *manifest)
{
    const char *name = manifest->name, *line = kvb_skip_remarks(manifest->text);
    bool named =
        kvb_starts_with(name, "Modelfile") || kvb_ends_with(name, ".modelfile") || kvb_ends_with(name, ".Modelfile");
    return named || (kvb_starts_with(line, "FROM ") && strstr(manifest->text, "\nPARAMETER ") != NULL);
}

static bool is_dockerfile(const struct kvb_manifest *manifest)
{
    const char *name = manifest->name, *line = kvb_skip_remarks(manifest->text);
    bool named = kvb_starts_with(name, "Dockerfile") || kvb_starts_with(name, "Containerfile") ||
                 kvb_ends_with(name, ".dockerfile") || strcmp(name, "dockerfile") == 0 ||
                 strcmp(name, "containerfile") == 0;
    bool begins = kvb_starts_with(line, "FROM ") || (kvb_starts_with(line, "ARG ") && strstr(line, "\nFROM ") != NULL);
    return named || begins;
}

// "web: vllm serve ..." on the first line.
static bool is_procfile(const struct kvb_manifest *manifest)
{
    const char *line = kvb_skip_remarks(manifest->text);
    size_t name = strspn(line, "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789_-");
    const char *end = line + strcspn(line, "\n");
    if (kvb_starts_with(manifest->name, "Procfile")) {
        return true;
    }
    const char *serve = strstr(line, "vllm serve"), *module = strstr(line, "vllm.entrypoints.");
    bool starts = (serve != NULL && serve < end) || (module != NULL && module < end);
    return name > 0 && line[name] == ':' && starts;
}

static bool is_script(const struct kvb_manifest *manifest)
{
    const char *name = manifest->name;
    return kvb_starts_with(manifest->text, "#!") || kvb_ends_with(name, ".sh") || kvb_ends_with(name, ".bash") ||
           kvb_ends_with(name, ".sbatch") || kvb_ends_with(name, ".slurm") || kvb_ends_with(name, ".sub") ||
           kvb_ends_with(name, ".zsh") || kvb_ends_with(name, ".env");
}

static bool is_python(const struct kvb_manifest *manifest)
{
    size_t line = strcspn(manifest->text, "\n");
    const char *word = strstr(manifest->text, "python");
    bool interpreted = kvb_starts_with(manifest->text, "#!") && word != NULL && word < manifest->text + line;
    return kvb_ends_with(manifest->name, ".py") || interpreted;
}

static bool is_notebook(const struct kvb_manifest *manifest)
{
    return kvb_ends_with(manifest->name, ".ipynb");
}

static bool is_hcl(const struct kvb_manifest *manifest)
{
    return kvb_ends_with(manifest->name, ".tf") || kvb_ends_with(manifest->name, ".hcl") ||
           kvb_ends_with(manifest->name, ".nomad") || kvb_ends_with(manifest->name, ".tfvars");
}

static bool is_recipes(const struct kvb_manifest *manifest)
{
    const char *name = manifest->name;
    return kvb_starts_with(name, "Makefile") || kvb_starts_with(name, "GNUmakefile") || kvb_ends_with(name, ".mk") ||
           strcmp(name, "makefile") == 0 || kvb_equal_ignoring_case(name, "justfile") ||
           strcmp(name, ".justfile") == 0 || kvb_ends_with(name, ".just");
}

static bool is_toml(const struct kvb_manifest *manifest)
{
    return kvb_ends_with(manifest->name, ".toml");
}

static bool is_supervisor(const struct kvb_manifest *manifest)
{
    return strstr(manifest->text, "[program:") != NULL && strstr(manifest->text, "command") != NULL;
}

static const struct {
    bool (*fits)(const struct kvb_manifest *manifest);
    kvb_manifest_text_reader *read;
} text_rows[] = {
    {is_toml, kvb_read_toml},           {is_notebook, kvb_read_notebook},     {is_hcl, kvb_read_hcl},
    {is_recipes, kvb_read_recipes},     {is_supervisor, kvb_read_supervisor}, {is_unit, kvb_read_unit},
    {is_modelfile, kvb_read_modelfile}, {is_dockerfile, kvb_read_dockerfile}, {is_procfile, kvb_read_procfile},
    {is_python, kvb_read_python},       {is_script, kvb_read_script},
};

bool kvb_manifest_is_code(const struct kvb_manifest *manifest)
{
    return is_python(manifest) || is_notebook(manifest) || is_hcl(manifest);
}

kvb_manifest_text_reader *kvb_manifest_text_reader_of(const struct kvb_manifest *manifest)
{
    for (size_t i = 0; i < sizeof text_rows / sizeof text_rows[0]; i++) {
        if (text_rows[i].fits(manifest)) {
            return text_rows[i].read;
        }
    }
    return NULL;
}
