// Charts at their edges: whose values win, what is not there or cannot be read, what is too much of it, and values for
// other places. What wins over what is said in Helm's guide: helm.sh/docs/chart_template_guide, "Values Files" and
// "Subcharts and Global Values".
#include "unit/chart_papers.h"

#include "manifest/chart.h"

#define VALUES "image: vllm/vllm-openai\nmodel: {name: Qwen/Qwen3-8B}\nlength: 4096\n"
#define VALUES_AT(folder)                                                                                              \
    {                                                                                                                  \
        folder "values.yaml", VALUES                                                                                   \
    }
#define CHART_AT(folder)                                                                                               \
    {                                                                                                                  \
        folder "Chart.yaml", "name: chat\nappVersion: v0.11.0\n"                                                       \
    }
#define POD_AT(folder)                                                                                                 \
    {                                                                                                                  \
        folder "templates/pod.yaml", pod                                                                               \
    }
#define NAME_AT(folder)                                                                                                \
    {                                                                                                                  \
        folder "templates/_helpers.tpl", "{{ define \"chat.name\" }}a{{ end }}"                                        \
    }
#define READ "Deployment/a@9:11 Qwen/Qwen3-8B 4096@12:15 vllm@0.11.0\n"

// "Values in the parent chart's values.yaml under the subchart's name override the subchart's"; globals reach it too.
// Only the folder charts/ makes one.
static void outer_values(void **state)
{
    (void)state;
    struct paper inner[] = {
        {"up/Chart.yaml", "name: all\n"},
        CHART_AT("up/charts/chat/"),
        NAME_AT("up/charts/chat/"),
        POD_AT("up/charts/chat/"),
        VALUES_AT("up/charts/chat/"),
        {"up/values.yaml", "chat: {length: 1024}\n"},
        END,
    };
    static const char outer[] = "Deployment/a@9:11 Qwen/Qwen3-8B 1024@12:15 vllm@0.11.0\n";
    reads(inner, "up/charts/chat/templates/pod.yaml", outer, false);
    inner[5].text = "length: 1024\nglobal: 7\n";
    reads(inner, "up/charts/chat/templates/pod.yaml", READ, false);
    inner[5].text = "chat: {length: null}\nglobal: {length: 5}\n";
    reads(inner, "up/charts/chat/templates/pod.yaml",
          "Deployment/a@9:11 Qwen/Qwen3-8B vllm@0.11.0 !12:15 --max-model-len depends on {{ .Values.length }}, which is "
          "not known; render the template, or give it with --env Values_length=VALUE\n",
          false);

    struct paper beside[] = {CHART_AT("mycharts/chat/"), NAME_AT("mycharts/chat/"), POD_AT("mycharts/chat/"),
                             VALUES_AT("mycharts/chat/"), {"myvalues.yaml", "chat: {length: 1024}\n"}, END};
    reads(beside, "mycharts/chat/templates/pod.yaml", READ, false);
    struct paper other[] = {CHART_AT("services/chat/"), NAME_AT("services/chat/"), POD_AT("services/chat/"),
                            VALUES_AT("services/chat/"), {"values.yaml", "chat: {length: 1024}\n"}, END};
    reads(other, "services/chat/templates/pod.yaml", READ, false);
    struct paper root[] = {CHART_AT(""), NAME_AT(""), POD_AT(""), VALUES_AT(""), END};
    reads(root, "templates/pod.yaml", READ, false);
    reads(root, "values.yaml", "", false);
}

// The file nearest to the command line wins, and a null takes a key away ("Deleting a default key"); what is no file of
// values, a link or of too long a name is none.
static void overlays(void **state)
{
    (void)state;
    char longest[200] = "c/values-";
    memset(longest + strlen(longest), 'x', 130);
    strcat(longest, ".yaml");
    struct paper papers[] = {
        CHART,
        NAME_AT("c/"),
        POD_AT("c/"),
        {"c/values-all.yml", "length: 512\n"},
        {"c/values-broken.yaml", "a: [\n"},
        {"c/values-equal.yaml", "length: 8192\n"},
        {"c/values-folder.yaml/a", ""},
        {"c/values-link.yaml", NULL},
        {"c/values-notes.txt", "length: 1\n"},
        {longest, "length: 2\n"},
        VALUES_AT("c/"),
        {"c/zone.yaml", "length: 3\n"},
        END,
    };
    reads(papers, "c/templates/pod.yaml",
          READ "Deployment/a (values-all.yml)@9:11 Qwen/Qwen3-8B 512@12:15 vllm@0.11.0\n"
               "Deployment/a (values-equal.yaml)@9:11 Qwen/Qwen3-8B 8192@12:15 vllm@0.11.0\n",
          false);
    struct paper many[24] = {CHART, NAME_AT("c/"), POD_AT("c/"), VALUES_AT("c/")};
    char names[19][32];
    for (unsigned i = 0; i < 19; i++) { // 16 are read
        (void)snprintf(names[i], sizeof names[i], "c/values/%02u.yaml", i);
        many[4 + i] = (struct paper){names[i], i < 15 ? "length: 4096\n" : "length: 64\n"};
    }
    reads(many, "c/templates/pod.yaml",
          READ "Deployment/a (values/15.yaml)@9:11 Qwen/Qwen3-8B 64@12:15 vllm@0.11.0\n", false);
}

// Values that are not there, empty, remarks or null say nothing; Helm refuses a list.
static void no_values(void **state)
{
    (void)state;
    static const char *const texts[] = {CLOSED, " \n\n", "# none yet\n", " # a\n\n  # b", "null\n"};
    struct paper papers[] = {
        {"c/Chart.yaml", "version: 1.0.0\n"},
        {"c/templates/pod.yaml", "kind: Pod\napiVersion: v1\nmetadata:\n  name: {{ .Release.Name }}\nspec:\n  "
                                 "containers:\n    - image: vllm/vllm-openai:v0.11.0\n      args:\n        - "
                                 "--model={{ .Values.model | default \"Qwen/Qwen3-8B\" }}\n"},
        {"c/values.yaml", ""},
        END,
    };
    for (size_t i = 0; i < sizeof texts / sizeof texts[0]; i++) {
        papers[2].text = texts[i];
        reads(papers, "c/templates/pod.yaml", "Pod/release@7:7 Qwen/Qwen3-8B vllm@0.11.0\n", false);
    }
    papers[2].text = "- a\n";
    reads(papers, "c/templates/pod.yaml",
          "Pod/{{ .Release.Name }}@7:7 Qwen/Qwen3-8B vllm@0.11.0 !1:1 the template cannot be filled: the values of its "
          "chart are no mapping; render it, for example with helm template\n",
          false);
}

// A helper that cannot be read, does not parse, is a link or lies too deep defines nothing: the name is a hole, which
// decides nothing that a budget needs.
static void helpers(void **state)
{
    (void)state;
    static const char define[] = "{{ define \"chat.name\" }}a{{ end }}";
    static const struct {
        const char *path, *text;
        bool known;
    } rows[] = {
        {"c/charts/lib/templates/_a.tpl", define, true},
        {"c/charts/lib.tpl", define, false},
        {"c/templates/a.tpl", define, true},
        {"c/templates/a/b/c/_a.tpl", define, true},
        {"c/templates/a/b/c/d/_a.tpl", define, false}, // three folders below each other are read
        {"c/templates/_a.tpl", CLOSED, false},
        {"c/templates/_a.tpl", NULL, false},
        {"c/templates/_a.tpl", "{{ define \"chat.name\" }}a{{ end }}{{ if }", false},
        {"c/templates/_a.tpl", "{{ define \"chat.name\" }}a", false},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct paper papers[] = {CHART, {rows[i].path, rows[i].text}, POD_AT("c/"), VALUES_AT("c/"), END};
        const struct kvb_files files = {papers, read_paper, list_papers};
        const struct kvb_manifest_options options = {.lenient = true, .files = &files};
        struct kvb_manifest_seen result;
        kvb_buffer_init(&seen);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_manifest_load("c/templates/pod.yaml", &options, take, NULL, &result, &problems), KVB_OK);
        if ((strcmp(kvb_buffer_text(&seen), READ) == 0) != rows[i].known) {
            fail_msg("row %zu: %s", i, kvb_buffer_text(&seen));
        }
        assert_int_equal(result.deployments, 1);
        kvb_buffer_free(&seen);
    }
}

// 64 helpers are read: the 65th, which has the name, is not.
static void many_helpers(void **state)
{
    (void)state;
    struct paper papers[80] = {CHART};
    static char names[66][40];
    for (unsigned more = 0; more < 2; more++) {
        unsigned count = 63 + more;
        for (unsigned i = 0; i < count; i++) {
            (void)snprintf(names[i], sizeof names[i], "c/templates/_%02u.tpl", i);
            papers[1 + i] = (struct paper){names[i], "{{ define \"other\" }}b{{ end }}"};
        }
        papers[1 + count] = (struct paper){"c/templates/_last.tpl", "{{ define \"chat.name\" }}a{{ end }}"};
        papers[2 + count] = (struct paper)POD_AT("c/");
        papers[3 + count] = (struct paper)VALUES_AT("c/");
        papers[4 + count] = (struct paper)END;
        const struct kvb_files files = {papers, read_paper, list_papers};
        const struct kvb_manifest_options options = {.lenient = true, .files = &files};
        struct kvb_manifest_seen result;
        kvb_buffer_init(&seen);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_manifest_load("c/templates/pod.yaml", &options, take, NULL, &result, &problems), KVB_OK);
        assert_int_equal(strcmp(kvb_buffer_text(&seen), READ) == 0, more == 0);
        kvb_buffer_free(&seen);
    }
}

// Paths of 1 KiB or more are none: a chart there, a chart inside, a helper or values.
static void long_paths(void **state)
{
    (void)state;
    static const unsigned lengths[] = {990, 1012, 1013, 1014, 1100};
    for (size_t i = 0; i < sizeof lengths / sizeof lengths[0]; i++) {
        static char folder[1200], paths[6][1400];
        memset(folder, 'd', lengths[i]);
        folder[lengths[i] - 1] = '/';
        folder[lengths[i]] = '\0';
        static const char *const ends[] = {"Chart.yaml", "charts/a-chart-inside/templates/_a.tpl",
                                           "templates/_a-helper-of-a-long-name.tpl", "templates/pod.yaml",
                                           "values.yaml"};
        static const char *const texts[] = {"name: chat\nappVersion: v0.11.0\n", "", "", pod, VALUES};
        struct paper papers[6] = {{0}};
        for (size_t k = 0; k < 5; k++) {
            (void)snprintf(paths[k], sizeof paths[k], "%s%s", folder, ends[k]);
            papers[k] = (struct paper){paths[k], texts[k]};
        }
        const struct kvb_files files = {papers, read_paper, list_papers};
        const struct kvb_manifest_options options = {.lenient = true, .files = &files};
        struct kvb_manifest_seen result;
        kvb_buffer_init(&seen);
        kvb_problems_init(&problems);
        assert_int_equal(kvb_manifest_load(paths[3], &options, take, NULL, &result, &problems), KVB_OK);
        bool known = strstr(kvb_buffer_text(&seen), " Qwen/Qwen3-8B 4096@12:15 vllm@0.11.0\n") != NULL;
        assert_int_equal(known, lengths[i] + strlen("values.yaml") < KVB_CHART_PATH_CAPACITY);
        kvb_buffer_free(&seen);
        kvb_buffer_init(&seen);
        assert_int_equal(kvb_manifest_load(paths[4], &options, take, NULL, &result, &problems), KVB_OK);
        assert_int_equal(result.deployments, 0);
        kvb_buffer_free(&seen);
    }
}

#define HEAD "kind: Pod\napiVersion: v1\nspec:\n  containers:\n    - image: vllm/vllm-openai:v0.11.0\n      args:\n"
#define MODEL "        - --model=Qwen/Qwen3-8B\n"
#define OTHER "        - --model=Qwen/Qwen3-4B\n"
#define RENDER "; render it, for example with helm template\n"

// What decides in one document says nothing of those before and behind it; a mistake stands at its place in the
// template; more work than any chart needs is refused.
static void places(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        {"c/templates/_a.tpl", "{{ define \"pods\" }}{{ .Values.none }}{{ end }}"},
        {"c/templates/pod.yaml", NULL},
        {"c/values.yaml", "n: 1\nlength: 20\nword: many\n"},
        END,
    };
    papers[2].text = HEAD MODEL "---\n" HEAD OTHER "---\n{{ if .Capabilities.x }}\nkind: Service\n{{ end }}\n";
    reads(papers, "c/templates/pod.yaml",
          "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0\nPod/unnamed@13:7 Qwen/Qwen3-4B vllm@0.11.0\n", false);
    papers[2].text = "{{ if .Capabilities.x }}\nkind: Service\n{{ end }}\n---\n" HEAD MODEL;
    reads(papers, "c/templates/pod.yaml", "Pod/unnamed@9:7 Qwen/Qwen3-8B vllm@0.11.0\n", false);
    papers[2].text = HEAD MODEL "        {{- range until 90000 }}{{ range until 90000 }}{{ end }}{{ end }}\n";
    reads(papers, "c/templates/pod.yaml",
          "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !1:1 the template cannot be filled: filling it takes more work than "
          "any chart needs" RENDER,
          false);
    papers[2].text = HEAD MODEL "      env:\n{{ include \"pods\" . | indent 8 }}\n        - name: A\n          value: b\n";
    reads(papers, "c/templates/pod.yaml",
          "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !1:1 what is started depends on {{ .Values.none }}, which cannot be "
          "evaluated here" RENDER,
          false);
    // The whole piece stands in the template, its end is filled in, or its beginning is.
    papers[2].text = "{{/* b */}}\n" HEAD "        [--model=Qwen/Qwen3-8B, --max-model-len=20]\n";
    reads(papers, "c/templates/pod.yaml", "Pod/unnamed@6:7 Qwen/Qwen3-8B 20@8:33+49:2 vllm@0.11.0\n", false);
    papers[2].text = HEAD "        [--model=Qwen/Qwen3-8B, --max-model-len=2{{ .Values.n }}]\n";
    reads(papers, "c/templates/pod.yaml", "Pod/unnamed@5:7 Qwen/Qwen3-8B 21@7:33 vllm@0.11.0\n", false);
    papers[2].text = HEAD "        [--model=Qwen/Qwen3-8B, --max-model-len={{ .Values.n }}2]\n";
    reads(papers, "c/templates/pod.yaml", "Pod/unnamed@5:7 Qwen/Qwen3-8B 12@7:33 vllm@0.11.0\n", false);
    papers[2].text = HEAD "        [--model=Qwen/Qwen3-8B, --max-model-len=2{{ .Values.n }}3]\n";
    reads(papers, "c/templates/pod.yaml", "Pod/unnamed@5:7 Qwen/Qwen3-8B 213@7:33 vllm@0.11.0\n", false);
}

// A template without a pod, a part of others and a binary hold no deployment.
static void none(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        {"c/templates/_vllm.yaml", "image: vllm/vllm-openai:{{ .Values.tag }}\n"},
        {"c/templates/list.txt", "vllm {{ .Values.tag }}\n"},
        {"c/templates/note.yaml", "kind: ConfigMap\nname: {{ .Chart.Name }}\n"},
        {"c/templates/shut.yaml", CLOSED},
        {"c/templates/sub/pod.yaml", HEAD MODEL},
        {"c/values-other.yaml", "tag: v0.11.0 # vllm serve\n"},
        {"c/values.yaml", "tag: v0.11.0\nimage: vllm/vllm-openai\n"},
        {"mytemplates/pod.yaml", "name: {{ .Values.none }}\n"},
        END,
    };
    reads(papers, "c/templates/_vllm.yaml", "", false);
    reads(papers, "c/templates/note.yaml", "", false);
    reads(papers, "c/templates/list.txt", "", false);
    reads(papers, "mytemplates/pod.yaml", "", false);
    reads(papers, "c/values-other.yaml", "", true);
    reads(papers, "c/templates/sub/pod.yaml", "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0\n", false);
    const struct kvb_files files = {papers, read_paper, list_papers};
    const struct kvb_manifest_options strict = {.files = &files};
    struct kvb_manifest_seen result;
    kvb_problems_init(&problems);
    kvb_buffer_init(&seen);
    assert_int_equal(kvb_manifest_load("c/templates/_vllm.yaml", &strict, take, NULL, &result, &problems), KVB_OK);
    assert_int_equal(result.deployments, 0);
    assert_int_equal(kvb_manifest_load("c/templates/shut.yaml", &strict, take, NULL, &result, &problems),
                     KVB_CANNOT_OPEN);
    kvb_problems_init(&problems);
    assert_int_equal(kvb_manifest_read("c/a.yaml", "a\0b", 3, &strict, take, NULL, &result, &problems),
                     KVB_BAD_SYNTAX);
    kvb_buffer_free(&seen);
}

// Memory that runs out at any one place is said, or counted where whoever asks looks for it; nothing leaks.
static void no_memory(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART, HELPER, POD_AT("c/"), {"c/values-big.yaml", "length: 8192\n"}, VALUES_AT("c/"), END,
    };
    const struct kvb_files files = {papers, read_paper, list_papers};
    const struct kvb_manifest_options options = {.lenient = true, .files = &files};
    for (unsigned which = 0; which < 2; which++) {
        unsigned long refused = 0, said = 0, n = 0;
        for (bool failed = true; failed && n < 5000;) {
            struct kvb_manifest_seen result;
            kvb_buffer_init(&seen);
            kvb_buffer_add(&seen, "");
            kvb_problems_init(&problems);
            unsigned long before = kvb_memory_failures();
            (void)kvb_memory_fail_once(++n);
            enum kvb_status status = kvb_manifest_load(which == 0 ? "c/templates/pod.yaml" : "c/values.yaml", &options,
                                                       take, NULL, &result, &problems);
            failed = kvb_memory_fail_once(0) == 0;
            assert_int_equal(kvb_memory_failures() > before, failed);
            assert_true(status == KVB_OK || (failed && status == KVB_NO_MEMORY));
            assert_null(strstr(kvb_buffer_text(&seen), "no YAML"));
            refused += failed;
            said += status == KVB_NO_MEMORY;
            kvb_buffer_free(&seen);
        }
        assert_in_range(refused, 20, 4000);
        assert_true(which == 1 || said > 0);
    }
}

KVB_TEST_MAIN(cmocka_unit_test(outer_values), cmocka_unit_test(overlays), cmocka_unit_test(no_values),
              cmocka_unit_test(helpers), cmocka_unit_test(many_helpers), cmocka_unit_test(long_paths),
              cmocka_unit_test(places), cmocka_unit_test(none), cmocka_unit_test(no_memory))
