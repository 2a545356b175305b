// What --compilation-config says, in JSON or one flag each, and names of executors, against each release's own classes:
// vllm/config/compilation.py, vllm/utils/argparse_utils.py, vllm/engine/arg_utils.py and vllm/v1/executor/abstract.py
// of the tags were run on these lines.
#include <stdio.h>
#include <string.h>

#include <kvbudget/kvbudget.h>

#include "base/text.h"
#include "engines/vllm/serve.h"
#include "unit/test.h"

#define R(minor, patch) KVB_RELEASE(0, minor, patch)
#define TAKEN ""

struct row {
    uint32_t release;
    const char *lines, *begins;
};

static void walk(const struct row *rows, size_t count)
{
    static struct kvb_deployment deployment;
    for (size_t i = 0; i < count; i++) {
        struct kvb_engine engine = {.release = rows[i].release};
        char out[256] = "";
        (void)snprintf(engine.version, sizeof engine.version, "0.%u.%u", rows[i].release / 10000,
                       rows[i].release / 100 % 100);
        kvb_deployment_init(&deployment);
        (void)kvb_copy(deployment.serve_flags, sizeof deployment.serve_flags, rows[i].lines);
        kvb_vllm_judge(&deployment, &engine, out);
        bool taken = rows[i].begins[0] == '\0';
        if (taken ? out[0] != '\0' : strstr(out, rows[i].begins) == NULL) {
            fail_msg("%u %s: got '%s'", rows[i].release, rows[i].lines, out);
        }
    }
}
#define WALK(rows) walk(rows, sizeof rows / sizeof(rows)[0])
#define CC "\n--compilation-config "
#define CC_DOT "\n--compilation-config."

static void operations(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(9, 1), CC "{\"custom_ops\":[\"all\",\"none\"]}", "Can only specify 'none' or 'all'"},
        {R(26, 0), CC "{\"custom_ops\":[\"all\",\"all\"]}", "Can only specify 'none' or 'all'"},
        {R(27, 0), CC "{\"custom_ops\":[\"all\",\"none\"]}", "only one base mode: 'all' or 'none'"},
        {R(10, 2), CC "{\"custom_ops\":[\"rms_norm\"]}", TAKEN},
        {R(11, 0), CC "{\"custom_ops\":[\"rms_norm\"]}", "Invalid syntax 'rms_norm' for custom op"},
        {R(11, 0), CC "{\"custom_ops\":[\"\"]}", "Invalid syntax '' for custom op"},
        {R(11, 0), CC "{\"custom_ops\":[\"none\", \"+rms_norm\", \"-silu\"]}", TAKEN},
        {R(26, 0), CC "{\"custom_ops\":[\"-\"]}", TAKEN},
        {R(27, 0), CC "{\"custom_ops\":[\"-\"]}", "Invalid syntax '-' for custom op"},
        {R(26, 0), CC "{\"custom_ops\":[\"+a\",\"-a\"]}", TAKEN},
        {R(27, 0), CC "{\"custom_ops\":[\"+a\",\"-a\"]}", "cannot both enable and disable the same operation(s): a."},
        {R(27, 0), CC "{\"custom_ops\":[\"-a\",\"+a\",\"+a\"]}", "cannot both enable and disable"},
        {R(27, 0), CC "{\"custom_ops\":[\"+a\",\"+a\",\"-b\",\"-bc\",\"all\",\"+ll\"]}", TAKEN},
        {R(27, 0), CC "{\"custom_ops\":[\"none\",\"+a\"],\"cudagraph_mode\":\"NONE\"}", TAKEN},
        {R(9, 0), CC "{\"custom_ops\":[1,\"all\"]}", TAKEN}, // its dataclass asks for no types, and counts words
        {R(9, 0), CC "{\"custom_ops\":[\"all\",1,\"none\"]}", "Can only specify 'none' or 'all'"},
        {R(27, 0), CC "{\"custom_ops\":[1,\"+a\"]}", "custom_ops: Input should be a valid string"},
        {R(27, 0), CC "{\"custom_ops\":[\"+a\",1]}", "custom_ops: Input should be a valid string"},
        {R(9, 1), CC "{\"custom_ops\":[null]}", "custom_ops: Input should be a valid string"},
        {R(27, 0), CC "{\"custom_ops\":[$OP]}", TAKEN}, // filled in by a shell
        {R(27, 0), CC "{\"custom_ops\":[},\"backend\":\"$X\"}", TAKEN},
        {R(28, 0), CC "{\"custom_ops\":[", "argument --compilation-config"},
        {R(28, 0), "\n-cc.custom_ops+ all,none", "only one base mode"},
        {R(28, 0), "\n-cc.custom_ops+ +rms_norm", TAKEN},
    };
    WALK(rows);
}

static void sizes_and_shapes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(8, 5), CC "{\"compile_sizes\":[\"x\"]}", "Unrecognized size type in compile_sizes"},
        {R(28, 0), CC "{\"compile_sizes\":[1,\"1\"]}", "expect 'cudagraph_capture_sizes', got 1"},
        {R(28, 0), CC "{\"compile_sizes\":[1,\"cudagraph_capture_sizes\"]}", TAKEN},
        {R(28, 0), CC "{\"compile_sizes\":null}", TAKEN},
        {R(11, 2), CC "{\"dynamic_shapes_config\":{\"type\":\"x\"}}", TAKEN},
        {R(12, 0), CC "{\"dynamic_shapes_config\":{\"type\":\"x\"}}", "dynamic_shapes_config.type: Input should be"},
        {R(12, 0), CC "{\"dynamic_shapes_config\":\"x\"}", "dynamic_shapes_config: Input should be an object"},
        {R(12, 0), CC "{\"dynamic_shapes_config\":{\"foo\":1}}", TAKEN},
        {R(13, 0), CC "{\"dynamic_shapes_config\":{\"foo\":1}}", "dynamic_shapes_config.foo: Unexpected keyword"},
        {R(13, 0), CC "{\"dynamic_shapes_config\":{\"type\":\"unbacked\",\"evaluate_guards\":true}}", TAKEN},
        {R(13, 0), CC "{\"dynamic_shapes_config\":{\"assume_32_bit_indexing\":true}}", "assume_32_bit_indexing: Unexp"},
        {R(14, 0), CC "{\"dynamic_shapes_config\":{\"assume_32_bit_indexing\":true}}", TAKEN},
        {R(28, 0), CC "{\"compile_ranges_endpoints\":[\"$END\",0]}", "Invalid compile range endpoint: 0"},
        {R(28, 0), CC "{\"compile_ranges_endpoints\":null}", TAKEN},
        {R(18, 0), CC "{\"compile_ranges_endpoints\":[0]}", "Invalid compile range endpoint: 0"},
        {R(17, 0), CC "{\"compile_ranges_split_points\":[0]}", "Invalid compile range split point: 0"},
        {R(28, 0), CC "{{", TAKEN}, // of a template
        {R(28, 0), CC "{{ .Values.x }}", TAKEN},
        {R(9, 0), CC "{\"cudagraph_capture_sizes\":[1,2]}", TAKEN},
    };
    WALK(rows);
}

static void modes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(11, 0), CC "{\"mode\":\"3\"}", TAKEN}, // no key of it
        {R(11, 1), CC "{\"mode\":\"3\"}", "mode: Input should be 0, 1, 2 or 3"},
        {R(12, 0), CC "{\"mode\":4}", "mode: Input should be 0, 1, 2 or 3"},
        {R(12, 0), CC "{\"mode\":12}", "mode: Input should be 0, 1, 2 or 3"},
        {R(12, 0), CC "{\"mode\":-1}", "mode: Input should be 0, 1, 2 or 3"},
        {R(12, 0), CC "{\"mode\":\"\"}", "mode: Input should be 0, 1, 2 or 3"},
        {R(12, 0), CC "{\"mode\":\"vllm_compile\"}", TAKEN},
        {R(12, 0), CC "{\"mode\":null}", TAKEN},
        {R(12, 0), CC "{\"mode\":3}", TAKEN},
        {R(10, 0), CC "{\"cudagraph_mode\":3}", TAKEN},
        {R(10, 1), CC "{\"cudagraph_mode\":3}", "cudagraph_mode: Input should be 0, 1, 2, (2, 0) or (2, 1)"},
        {R(28, 0), CC "{\"cudagraph_mode\":\"FULLY\"}", "cudagraph_mode: Input should be"},
        {R(28, 0), CC "{\"cudagraph_mode\":\"full\"}", TAKEN},
        {R(10, 2), CC "{\"use_cudagraph\":false,\"cudagraph_mode\":\"FULL\"}",
         "use_cudagraph and cudagraph_mode are mut"},
        {R(10, 2), CC "{\"use_cudagraph\":true,\"cudagraph_mode\":\"FULL\"}", TAKEN},
        {R(10, 2), CC "{\"use_cudagraph\":false,\"cudagraph_mode\":null}", TAKEN},
        {R(11, 0), CC "{\"full_cuda_graph\":true,\"cudagraph_mode\":\"FULL\"}",
         "full_cuda_graph and cudagraph_mode are"},
        {R(11, 1), CC "{\"full_cuda_graph\":true,\"cudagraph_mode\":\"FULL\"}", TAKEN},
        {R(9, 0), CC "{\"cudagraph_mode\":\"NONE\"}", "invalid <lambda> value: {\"cudagraph_mode\":\"NONE\"}"},
        {R(9, 0), CC "{\"use_cudagraph\":false}", TAKEN},
        {R(9, 1), CC "{\"cudagraph_mode\":\"NONE\"}", TAKEN},
        {R(9, 1), CC "3", TAKEN},
        {R(9, 2), CC "3", "argument --compilation-config"},
        {R(28, 0), "\n-cc 3", "argument --compilation-config"},
    };
    WALK(rows);
}

// --flag.member since 0.9.0, -f.member since 0.9.2; -cc since 0.12.0, which -O was before.
static void dotted(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(8, 5), CC_DOT "mode 0", "unrecognized arguments: --compilation-config.mode 0"},
        {R(12, 0), CC_DOT "foo 1", TAKEN},
        {R(13, 0), CC_DOT "foo 1", "foo: Unexpected keyword argument"},
        {R(13, 0), CC_DOT "foo=1", "foo: Unexpected keyword argument"},
        {R(17, 0), CC_DOT "level 3", TAKEN},
        {R(18, 0), CC_DOT "level 3", "level: Unexpected keyword argument"},
        {R(13, 0), CC_DOT "pass_config.foo 1", "foo: Unexpected keyword argument"},
        {R(13, 0), CC_DOT "pass_config.enable_sp true", TAKEN},
        {R(13, 0), CC_DOT "a.b.c.d.e.f.g.h.i.j 1", "a: Unexpected keyword argument"},
        {R(13, 0), CC_DOT "debug_dump_path /tmp/x", TAKEN},
        {R(28, 0), CC_DOT "mode -1", "mode: Input should be"},
        {R(28, 0), CC_DOT "mode -", "mode: Input should be"},
        {R(28, 0), CC_DOT "mode ", "mode: Input should be"},
        {R(28, 0), CC_DOT "mode", "IndexError: list index out of range"},
        {R(28, 0), CC_DOT "mode\n--port 1", TAKEN}, // whose value was not noted
        {R(8, 5), CC_DOT "mode", "unrecognized arguments"},
        {R(28, 0), "\n--no-such.mode 1", "unrecognized arguments: --no-such.mode 1"},
        {R(28, 0), "\n--no-", " --no-"}, // the beginning of many flags and the name of none
        {R(11, 2), "\n-cc.mode 0", "unrecognized arguments: -cc.mode 0"},
        {R(13, 0), "\n-cc.foo 1", "foo: Unexpected keyword argument"},
        {R(13, 0), "\n-cc={\"foo\":1}", "foo: Unexpected keyword argument"},
        {R(13, 0), "\n-cc {\"foo\":1}", "foo: Unexpected keyword argument"},
        {R(9, 1), "\n-O.level 0", "unrecognized arguments: -O.level 0"},
        {R(9, 2), "\n-O.level 0", TAKEN},
        {R(12, 0), "\n-O.mode 4", "mode: Input should be"},
        {R(13, 0), "\n-O.mode 0", "unrecognized arguments: -O.mode 0"},
        {R(11, 2), "\n-O {\"mode\":4}", "mode: Input should be"},
        {R(12, 0), "\n-O {\"mode\":3}", "unrecognized arguments: -O {\"mode\":3}"},
        {R(12, 0), "\n-O 3", TAKEN},
        {R(12, 0), "\n-O -1", "unrecognized arguments: -O -1"},
        {R(12, 0), "\n-O=3", TAKEN},
        {R(28, 0), "\n-sc.method", "IndexError"},
    };
    WALK(rows);
}

static void a_long_member_is_let_pass(void **state)
{
    (void)state;
    char line[900];
    memset(line, 'x', sizeof line);
    memcpy(line, "\n-cc.foo ", strlen("\n-cc.foo "));
    line[sizeof line - 1] = '\0';
    const struct row rows[] = {{R(28, 0), line, TAKEN}};
    WALK(rows);
}

static void executors(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {R(9, 1), "\n--data-parallel-backend x", "data_parallel_backend can only be ray or mp, got %s', 'x'"},
        {R(28, 0), "\n--data-parallel-backend x", "data_parallel_backend can only be ray or mp"},
        {R(28, 0), "\n--data-parallel-backend ray", TAKEN},
        {R(10, 2), "\n--data-parallel-backend x\n--data-parallel-address 1.2.3.4", TAKEN},
        {R(11, 1), "\n--data-parallel-backend x\n--data-parallel-address 1.2.3.4", "data_parallel_backend can only be"},
        {R(9, 0), "\n--data-parallel-backend x", "unrecognized arguments: --data-parallel-backend x"},
        {R(10, 1), "\n--distributed-executor-backend x", "invalid choice: 'x'"},
        {R(10, 1), "\n--distributed-executor-backend mp", TAKEN},
        {R(10, 2), "\n--distributed-executor-backend x", "resolve_obj_by_qualname('x'): ValueError: not enough values"},
        {R(28, 0), "\n--distributed-executor-backend a.B", TAKEN},
        {R(28, 0), "\n--distributed-executor-backend $KIND", TAKEN},
        {R(28, 0), "\n--distributed-executor-backend mp", TAKEN},
    };
    WALK(rows);
}

static struct kvb_deployment deployment;

static void read(int count, const char *const *words)
{
    static struct kvb_problems problems;
    kvb_problems_init(&problems);
    kvb_deployment_init(&deployment);
    assert_int_equal(kvb_serve_command_read(count, words, &deployment, &problems), KVB_OK);
}
#define READ(...)                                                                                                      \
    do {                                                                                                               \
        const char *words[] = {"vllm", "serve", "M", __VA_ARGS__};                                                     \
        read((int)(sizeof words / sizeof words[0]), words);                                                            \
    } while (0)

// recursive_dict_update of vllm/utils/argparse_utils.py: members below one name meet, and the last of two that give one
// counts.
static void dotted_flags_meet(void **state)
{
    (void)state;
    const struct kvb_setting_value *mode = &deployment.settings.values[KVB_SET_CUDAGRAPH_MODE];
    READ("-cc.cudagraph_mode", "NONE", "-cc.cudagraph_mode=FULL");
    assert_int_equal(mode->number, KVB_GRAPH_MODE_FULL);
    READ("-cc.pass_config.enable_sp", "true", "-cc.cudagraph_mode", "NONE", "-cc.pass_config.fuse_attn_quant=true",
         "-cc.cudagraph_specialize_lora", "false");
    assert_true(deployment.graph_sizes.sequence_parallel && deployment.graph_sizes.fuses_attention);
    assert_true(deployment.graph_sizes.adapters_always && mode->number == KVB_GRAPH_MODE_NONE);
    READ("-cc.pass_config", "{\"enable_sp\":true}", "-cc.pass_config.", "x", "-cc.mode", "3");
    assert_true(deployment.graph_sizes.sequence_parallel && deployment.graph_sizes.compile_mode == 4);
    READ("-cc.cudagraph_capture_sizes+", "4,8", "-cc.+", "1");
    assert_int_equal(deployment.graph_sizes.count, 2);
    READ("-cc.mode=3", "--compilation-config.cudagraph_mode",
         "FULL"); // of two spellings the later begun is all there is
    assert_true(deployment.graph_sizes.compile_mode == 0 && mode->number == KVB_GRAPH_MODE_FULL);
    READ("--compilation_config.mode=3", "--compilation-config.cudagraph_mode", "FULL", "-ac.backend=FLASHINFER");
    assert_true(deployment.graph_sizes.compile_mode == 4 && mode->number == KVB_GRAPH_MODE_FULL);
    READ("-cc.mode=3", "--compilation-config.cudagraph_mode", "FULL", "-cc.mode=2");
    assert_true(deployment.graph_sizes.compile_mode == 0 && mode->number == KVB_GRAPH_MODE_FULL);
    READ("--compilation-config.cudagraph_mode", "FULL", "-cc", "{\"mode\":3}"); // and stands behind all JSON
    assert_true(deployment.graph_sizes.compile_mode == 0 && mode->number == KVB_GRAPH_MODE_FULL);
    const char *many[64] = {"vllm", "serve", "M"};
    for (int i = 3; i < 64; i++) {
        many[i] = i == 3 ? "-cc.mode=0" : "-cc.a.b.c.d.e.f.g.h.i.j.k.l.m.n.o.p.q.r=1";
    }
    read(64, many);
    assert_int_equal(deployment.graph_sizes.compile_mode, 1);
}

// argparse keeps the last of a flag's values whole.
static void json_is_replaced(void **state)
{
    (void)state;
    const struct kvb_setting_value *mode = &deployment.settings.values[KVB_SET_CUDAGRAPH_MODE];
    READ("-cc", "{\"mode\":3}", "--compilation-config={\"cudagraph_mode\":\"FULL\"}");
    assert_true(deployment.graph_sizes.compile_mode == 0 && mode->number == KVB_GRAPH_MODE_FULL);
    READ("--compilation-config={\"mode\":3}", "-cc", "{\"cudagraph_mode\":\"FULL\"}", "--port", "1");
    assert_true(deployment.graph_sizes.compile_mode == 0 && mode->number == KVB_GRAPH_MODE_FULL);
    READ("-cc", "--cc", "-cc", "{\"mode\":3}"); // the first has no value
    assert_int_equal(deployment.graph_sizes.compile_mode, 4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(operations),
        cmocka_unit_test(sizes_and_shapes),
        cmocka_unit_test(modes),
        cmocka_unit_test(dotted),
        cmocka_unit_test(a_long_member_is_let_pass),
        cmocka_unit_test(executors),
        cmocka_unit_test(dotted_flags_meet),
        cmocka_unit_test(json_is_replaced),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
