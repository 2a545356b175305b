// Templates of charts: deployments of the values of the chart, of values for other places and of the chart around it,
// with their places in the template; what cannot be filled is not read, and says where.
#include "unit/chart_papers.h"

static void fills(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        HELPER,
        {"c/templates/pod.yaml", pod},
        {"c/values-big.yaml", "length: 8192\n"},
        {"c/values-same.yaml", "length: 4096\n"},
        {"c/values.yaml",
         "image: vllm/vllm-openai\nmodel: {name: Qwen/Qwen3-8B}\nlength: 4096\nmore: [--enforce-eager]\n"},
        {"c/values/small.yaml", "length: 2048\n"},
        END,
    };
    reads(papers, "c/templates/pod.yaml",
          "Deployment/chat-x@9:11 Qwen/Qwen3-8B 4096@12:15 vllm@0.11.0\n"
          "Deployment/chat-x (values-big.yaml)@9:11 Qwen/Qwen3-8B 8192@12:15 vllm@0.11.0\n"
          "Deployment/chat-x (values/small.yaml)@9:11 Qwen/Qwen3-8B 2048@12:15 vllm@0.11.0\n",
          false);
    reads(papers, "c/values.yaml", "", false);
    reads(papers, "c/templates/_helpers.tpl", "", false);
}

static void charts_inside_charts(void **state)
{
    (void)state;
    struct paper papers[] = {
        {"Chart.yaml", "name: all\n"},
        {"charts/chat/Chart.yaml", "name: chat\nappVersion: v0.11.0\n"},
        {"charts/chat/templates/_helpers.tpl", "{{ define \"chat.name\" }}{{ .Values.global.team }}{{ end }}"},
        {"charts/chat/templates/pod.yaml", pod},
        {"charts/chat/values.yaml", "image: vllm/vllm-openai\nmodel: {name: Qwen/Qwen3-8B}\nlength: 4096\n"},
        {"values.yaml", "chat: {length: 1024}\nglobal: {team: a}\n"},
        END,
    };
    reads(papers, "charts/chat/templates/pod.yaml", "Deployment/a@9:11 Qwen/Qwen3-8B 1024@12:15 vllm@0.11.0\n", false);
}

// A value that nobody gave is an error at its place.
static void what_is_not_known(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        HELPER,
        {"c/templates/pod.yaml", pod},
        {"c/values.yaml", "image: vllm/vllm-openai\nmodel: {name: Qwen/Qwen3-8B}\n"},
        END,
    };
    reads(papers, "c/templates/pod.yaml",
          "Deployment/chat-x@9:11 Qwen/Qwen3-8B vllm@0.11.0 !12:15 --max-model-len depends on {{ .Values.length }}, "
          "which "
          "is not known; render the template, or give it with --env Values_length=VALUE\n",
          false);
}

// What is started depends on something that only a cluster knows.
static void what_is_open(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        {"c/templates/pod.yaml",
         "kind: Pod\napiVersion: v1\nspec:\n  containers:\n    - image: vllm/vllm-openai:v0.11.0\n"
         "      args:\n        - --model=Qwen/Qwen3-8B\n"
         "        {{- if .Capabilities.APIVersions.Has \"x\" }}\n        - --max-model-len=10\n"
         "        {{- end }}\n---\nkind: Pod\napiVersion: v1\nspec:\n  containers:\n"
         "    - image: vllm/vllm-openai:v0.11.0\n      args: [--model=Qwen/Qwen3-4B, "
         "--max-model-len=20]\n"},
        {"c/templates/whole.yaml", "{{- if .Files.x }}\nkind: Pod\napiVersion: v1\nspec:\n  containers:\n"
                                   "    - image: vllm/vllm-openai:v0.11.0\n      args: [--model=Qwen/Qwen3-8B]\n"
                                   "{{- end }}\n"},
        {"c/templates/wrong.yaml", "kind: Pod\napiVersion: v1\nspec:\n  containers:\n"
                                   "    - image: vllm/vllm-openai:v0.11.0\n      args: [--model=Qwen/Qwen3-8B]\n"
                                   "  {{ if .Values.x }}\n"},
        {"c/templates/off.yaml", "{{- if .Values.on }}\nimage: vllm/vllm-openai:v0.11.0\n{{- end }}\n"},
        {"c/templates/other.yaml", "kind: Service\nname: {{ .Chart.Name }}-vllm\n"},
        {"c/values.yaml", "on: false\n"},
        END,
    };
    static const char open[] = ", which cannot be evaluated here; render it, for example with helm template\n";
    char wanted[600];
    (void)snprintf(wanted, sizeof wanted,
                   "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !8:9 what is started depends on {{ "
                   ".Capabilities.APIVersions.Has \"x\" }}%sPod/unnamed@16:7 Qwen/Qwen3-4B "
                   "20@17:37+53:2 vllm@0.11.0\n",
                   open);
    reads(papers, "c/templates/pod.yaml", wanted, false);
    (void)snprintf(wanted, sizeof wanted,
                   "Pod/unnamed@6:7 Qwen/Qwen3-8B vllm@0.11.0 !1:1 what is started depends on {{ .Files.x }}%s", open);
    reads(papers, "c/templates/whole.yaml", wanted, false);
    reads(papers, "c/templates/wrong.yaml",
          "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !7:3 the template cannot be filled: a block that does not end; "
          "render it, for example with helm template\n",
          false);
    reads(papers, "c/templates/off.yaml", "", true);
    reads(papers, "c/templates/other.yaml", "", false);
}

// What is no YAML once holes stand in it is read as it stands, and refused.
static void what_breaks(void **state)
{
    (void)state;
    struct paper papers[] = {
        CHART,
        {"c/templates/pod.yaml",
         "kind: Pod\napiVersion: v1\nspec:\n  containers:\n    - image: vllm/vllm-openai:v0.11.0\n"
         "      args: [--model=Qwen/Qwen3-8B]\n      env:\n{{ include \"none\" . | indent 8 }}\n"
         "        - name: A\n          value: b\n"},
        {"c/values.yaml", "a: 1\n"},
        END,
    };
    reads(papers, "c/templates/pod.yaml",
          "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !8:4 what is started depends on {{ include \"none\" . }}, which "
          "cannot be evaluated here; render it, for example with helm template\n",
          false);
    papers[2].text = "a: [\n";
    reads(
        papers, "c/templates/pod.yaml",
        "Pod/unnamed@5:7 Qwen/Qwen3-8B vllm@0.11.0 !1:1 the template cannot be filled: the values of its chart are no "
        "YAML; render it, for example with helm template\n",
        false);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(fills),        cmocka_unit_test(charts_inside_charts), cmocka_unit_test(what_is_not_known),
        cmocka_unit_test(what_is_open), cmocka_unit_test(what_breaks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
