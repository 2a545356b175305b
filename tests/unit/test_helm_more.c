// Arguments of the wrong number or kind, empty values, holes, limits and memory that ends: what Go's text/template,
// Sprig and Helm do with them. Where they end the rendering with an error, the expression stays a hole ($_X__).
#include <stdio.h>

#include "base/memory.h"
#include "unit/helm_fill.h"

// Go ends with "wrong number of args" or "can't evaluate".
static void wrong_numbers(void **state)
{
    (void)state;
    static const struct {
        const char *name;
        unsigned least, most;
    } rows[] = {
        {"trim", 1, 1},     {"trunc", 2, 2},     {"replace", 3, 3}, {"indent", 2, 2},    {"nindent", 2, 2},
        {"required", 2, 2}, {"empty", 1, 1},     {"not", 1, 1},     {"ne", 2, 2},        {"lt", 2, 2},
        {"int", 1, 1},      {"float64", 1, 1},   {"sub", 2, 2},     {"div", 2, 2},       {"mod", 2, 2},
        {"add1", 1, 1},     {"append", 2, 2},    {"prepend", 2, 2}, {"rest", 1, 1},      {"first", 1, 1},
        {"last", 1, 1},     {"initial", 1, 1},   {"has", 2, 2},     {"uniq", 1, 1},      {"compact", 1, 1},
        {"join", 2, 2},     {"splitList", 2, 2}, {"until", 1, 1},   {"untilStep", 3, 3}, {"get", 2, 2},
        {"set", 3, 3},      {"unset", 2, 2},     {"hasKey", 2, 2},  {"deepCopy", 1, 1},  {"len", 1, 1},
        {"fromYaml", 1, 1}, {"lookup", 4, 4},    {"kindIs", 2, 2},  {"include", 2, 2},   {"tpl", 2, 2},
        {"contains", 2, 2}, {"lower", 1, 1},     {"toYaml", 1, 1},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        for (unsigned count = 0; count <= rows[i].most + 1; count++) {
            struct kvb_buffer text;
            struct made made;
            if (count >= rows[i].least && count <= rows[i].most) {
                continue;
            }
            kvb_buffer_init(&text);
            kvb_buffer_printf(&text, "{{ %s%.*s }}", rows[i].name, (int)(2 * count), " 1 1 1 1 1 1");
            make(&made, "a: 1", kvb_buffer_text(&text));
            assert_true(made.rendered);
            assert_memory_equal(kvb_buffer_text(&made.run.out), "$_", 2);
            drop(&made);
            kvb_buffer_free(&text);
        }
    }
}

static void kinds_of_arguments(void **state)
{
    (void)state;
    static const struct row rows[] = {
        // nil is no string: "invalid value; expected string"
        {"a: 1", "{{ lower .Values.n }}{{ nindent 2 .Values.n }}{{ trim nil }}",
         "$_lower__Values_n__$_nindent_2__Values_n__$_trim_nil__"},
        {"a: 1", "{{ contains \"a\" nil }}{{ fromYaml nil }}{{ splitList \",\" nil }}",
         "$_contains__a__nil__$_fromYaml_nil__$_splitList_____nil__"},
        // fmt: nil is <nil>; %d of a text, %s of a number, %q of a switch are marked as wrong
        {"a: 1", "{{ print nil 1 }}{{ list nil }}{{ dict \"k\" nil }}", "<nil> 1[<nil>]map[k:<nil>]"},
        {"a: 1", "{{ printf \"%d\" \"x\" }}{{ printf \"%s\" 1 }}{{ printf \"%q\" true }}",
         "$_printf___d___x___$_printf___s__1__$_printf___q__true__"},
        {"a: 1", "{{ printf \"%v %v %g %d\" (list 1) (dict \"a\" 1) 1.5 7 }}", "[1] map[a:1] 1.5 7"},
        {"a: 1", "{{ printf \"%g\" \"x\" }}{{ printf \"%v\" nil }}{{ printf \"%s\" (list) }}",
         "$_printf___g___x___$_printf___v__nil__$_printf___s___list___"},
        // Sprig: cat leaves out nil, join's strslice too
        {"a: 1", "{{ cat nil 1 nil 2 }}{{ join \",\" (list nil 1 nil 2) }}<{{ join \",\" nil }}>", "1 21,2<>"},
        // Sprig: the last key without a value gets ""
        {"a: 1", "{{ dict \"a\" 1 \"b\" | toJson }}", "{\"a\":1,\"b\":\"\"}"},
        // ternary takes a bool; lt takes what has an order
        {"a: 1", "{{ ternary 1 2 \"x\" }}{{ ternary 1 2 nil }}{{ lt false true }}{{ lt nil nil }}",
         "$_ternary_1_2__x___$_ternary_1_2_nil__$_lt_false_true__$_lt_nil_nil__"},
        {"a: 1", "{{ lt (list 1) (list 2) }}{{ eq (list 1) (list 1) }}{{ eq nil (list) }}{{ eq false nil }}",
         "$_lt__list_1___list_2___$_eq__list_1___list_1___falsefalse"},
        // cast.ToInt: nil, lists and words are 0
        {"a: 2000000000000", "{{ int .Values.a }} {{ int nil }} {{ int (list) }} {{ int false }} {{ int -3.9 }}",
         "2000000000000 0 0 0 -3"},
        {"a: 1", "{{ int \"1.5\" }}{{ float64 \"x\" }}{{ float64 nil }}{{ float64 2 }}",
         "$_int__1_5___$_float64__x___$_float64_nil__2"},
        // beyond what is counted here: not known
        {"a: 1000000000000\nb: -1000000000000", "{{ add1 .Values.a }}{{ add1 .Values.b }}{{ add1 1.5 }}",
         "$_add1__Values_a__$_add1__Values_b__$_add1_1_5__"},
        {"a: 1", "{{ mul 999999999999 -999999 }} {{ mul 999999999999 9999999 0 }} {{ mul -5 7 }} {{ mul 5 -7 }}",
         "-999998999999000001 $_mul_999999999999_9999999_0__ -35 -35"},
        {"a: 1", "{{ min 1 2 }}{{ max 2 1 }}{{ min 4 \"x\" }}{{ sub -999999999999 999999999999 }}",
         "12$_min_4__x___-1999999999998"},
        {"a: 1", "{{ add 999999999999 1 1 }}{{ sub 1 1.5 }}{{ add -999999999999 -1 -1 }}",
         "$_add_999999999999_1_1__$_sub_1_1_5__$_add__999999999999__1__1__"},
        {"a: 1",
         "{{ kindIs \"invalid\" nil }}{{ typeIs \"<nil>\" nil }}{{ kindIs \"int\" 1 }}{{ kindIs \"bool\" true }}",
         "truetrue$_kindIs__int__1__true"},
        {"a: 1", "{{ kindIs \"int\" \"1\" }}{{ kindIs \"float64\" true }}{{ typeIs \"[]interface {}\" (list) }}",
         "falsefalsetrue"},
        // dig casts its keys to string; index wants whole places inside
        {"a: {b: 1}", "{{ dig 1 0 .Values.a }}{{ dig \"b\" 0 5 }}{{ index .Values.a 1 }}",
         "$_dig_1_0__Values_a__$_dig__b__0_5__$_index__Values_a_1__"},
        {"a: [1, 2]", "{{ index .Values.a -1 }}{{ index .Values.a 1.5 }}{{ index .Values.a \"x\" }}{{ index 5 0 }}",
         "$_index__Values_a__1__$_index__Values_a_1_5__$_index__Values_a__x___$_index_5_0__"},
        {"a: 1", "{{ index (list .Files.x) 0 0 }}{{ index (list .Files.x) 0 }}", "$__Files_x__$__Files_x__"},
        {"a: {b: 1}", "{{ get .Values.a 1 }}{{ hasKey .Values.a nil }}{{ pick .Values.a 1 }}{{ omit .Values.a 1 }}",
         "$_get__Values_a_1__$_hasKey__Values_a_nil__map[]map[b:1]"},
        {"a: {b: 1}", "{{ set .Values.a .Files.x 1 }}{{ set .Values.a (printf \"%s\" .Files.x) 1 }}",
         "$__Files_x__$_set__Values_a__printf___s___Files_x__1__"},
        {"a: {b: 1}", "{{ merge .Values.a nil }}{{ merge nil .Values.a }}{{ merge .Values.a .Values.a }}",
         "map[b:1]$_merge_nil__Values_a__map[b:1]"},
        {"a: {b: {c: 1}, d: 0, e: x}\nf: {b: 5, d: 7, e: {g: 1}}",
         "{{ merge (deepCopy .Values.a) .Values.f }}{{ mergeOverwrite (deepCopy .Values.a) .Values.f }}",
         "map[b:map[c:1] d:7 e:x]map[b:5 d:7 e:map[g:1]]"},
        {"a: 1",
         "{{ merge (dict \"k\" .Files.x) (dict \"k\" 1) }}{{ deepCopy (list (dict \"a\" 1) 2) }}{{ deepCopy 4 }}",
         "map[k:$__Files_x__][map[a:1] 2]4"},
        // YAML of another kind is an error in both
        {"a: 1", "{{ fromYaml \"x\" }}{{ fromYamlArray \"a: 1\" }}{{ fromYaml \"null\" }}{{ fromYamlArray \" \" }}",
         "$_fromYaml__x___$_fromYamlArray__a__1___map[][]"},
    };
    FILL(rows);
}

static void numbers_and_texts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: 1", "{{ printf \"%d\" (printf \"%s\" .Files.x) }}{{ required \"m\" nil }}",
         "$__Files_x__$_required__m__nil__"},
        {"a: '5'\nb: |-\n  5", "{{ kindIs \"string\" .Values.a }}{{ kindIs \"string\" .Values.b }}", "truetrue"},
        {"a: 1234567890123.5", "{{ .Values.a }}", "1234567890123.5"},
        {"a: 1", "{{ quote \"a\\tb\\\\\" }}", "\"a\\tb\\\\\""},
        {"a: [/x, _y, $z, A-b]", "{{ toYaml .Values.a }}", "- /x\n- _y\n- $z\n- A-b"},
        {"a: 1", "{{ le 3 2 }}{{ ge 1 2 }}{{ ge 2 2 }}{{ lt 2 1 }}{{ lt \"b\" \"a\" }}{{ eq 1 2 3 }}",
         "falsefalsetruefalsefalsefalse"},
        {"a: 1",
         "{{ mul 5 -9999999 }} {{ mul 5 9999999 }} {{ mul 999999999999 -9999999 }} {{ mul -999999999999 9999999 }}",
         "-49999995 49999995 $_mul_999999999999__9999999__ $_mul__999999999999_9999999__"},
        {"a: -999999999999999999", "{{ lt .Values.a 1 }}{{ lt 1 .Values.a }}", "$_lt__Values_a_1__$_lt_1__Values_a__"},
        {"a: 1", "{{ toString true }}{{ toString nil }}{{ squote 1.5 }}{{ hasSuffix \"x\" \"ab\" }}",
         "true$_toString_nil__'1.5'false"},
    };
    FILL(rows);
}

// 512 are told by their expressions; the others are holes all the same.
static void many_holes(void **state)
{
    (void)state;
    struct kvb_buffer text, wanted;
    struct made made;
    kvb_buffer_init(&text);
    kvb_buffer_init(&wanted);
    for (int i = 0; i < 520; i++) {
        kvb_buffer_printf(&text, "{{ .x%d.y }}", i);
        kvb_buffer_printf(&wanted, "$__x%d_y__", i);
    }
    make(&made, "a: 1", kvb_buffer_text(&text));
    assert_true(made.rendered);
    assert_string_equal(kvb_buffer_text(&made.run.out), kvb_buffer_text(&wanted));
    assert_int_equal(made.room.hole_count, 512);
    drop(&made);
    kvb_buffer_free(&text);
    kvb_buffer_free(&wanted);
}

static void lists_and_holes(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: 1", "{{ concat nil (list 1) }}{{ append nil 1 }}{{ prepend nil 1 }}{{ has 1 nil }}", "[1][1][1]false"},
        {"a: 1", "{{ rest (list) }}{{ initial nil }}{{ last 1 }}{{ rest nil }}",
         "[]$_initial_nil__$_last_1__$_rest_nil__"},
        // reflect.DeepEqual looks into lists, which is not done here
        {"a: 1", "{{ has (list 1) (list 2 (list 1)) }}{{ without (list (list 1)) (list 1) }}{{ has (dict) (list 1) }}",
         "$_has__list_1___list_2__list_1____$_without__list__list_1____list_1___false"},
        {"a: 1", "{{ uniq (list (dict) (dict)) }}{{ has nil (list nil) }}{{ has true (list false) }}",
         "$_uniq__list__dict___dict____truefalse"},
        {"a: 1", "{{ without (list 1 2 1) 1 }}{{ uniq (list) }}{{ compact (list nil false .Files.x (list) 2) }}",
         "[2][][$__Files_x__ 2]"},
        {"a: 1", "{{ join \",\" .Files.x }}{{ join .Files.x (list) }}<{{ join \",\" (list) }}>",
         "$__Files_x__$__Files_x__<>"},
        {"a: 1", "{{ splitList \",\" \"\" }}{{ splitList \"ab\" \"abxab\" }}{{ until 0 }}{{ untilStep 5 1 1 }}",
         "[][ x ][][]"},
        {"a: 1", "{{ untilStep \"x\" 1 1 }}{{ untilStep 1 \"x\" 1 }}", "$_untilStep__x__1_1__$_untilStep_1__x__1__"},
        {"a: 1",
         "{{ coalesce nil .Files.x 1 }}{{ required \"m\" \"\" }}{{ required \"m\" 0 }}{{ required \"m\" (list) }}",
         "$__Files_x__$_required__m______0[]"},
        {"a: 1", "{{ default 1 (printf \"%s\" .Files.x) }}{{ or 0 .Files.x }}{{ and 1 .Files.x 0 }}",
         "$__Files_x__$__Files_x__0"},
        {"a: 1", "{{ quote .Files.x }}{{ toJson (list .Files.x) }}{{ trimAll \"x\" .Files.x }}",
         "\"$__Files_x__\"[$__Files_x__]$__Files_x__"},
        {"a: 1", "{{ trim \"   \" }}|{{ trimAll \"ab\" \"aba\" }}|{{ indent 201 \"x\" }}{{ indent \"x\" \"x\" }}",
         "||$_indent_201__x___$_indent__x___x___"},
        {"a: 1", "{{ replace \"x\" \"\" \"axbx\" }}{{ upper \"~a1\" }}{{ trunc -3 \"abc\" }}{{ trunc 0 \"a\" }}",
         "ab~A1abc"},
        {"a: [{}, {b: ''}]", "{{ toYaml .Values.a }}{{ toJson (dict \"z\" nil \"y\" (list true false)) }}",
         "- {}\n- b: ''{\"y\":[true,false],\"z\":null}"},
        {"a: {k: [1], m: {v: {w: 1}}}", "{{ toYaml .Values.a }}", "k:\n- 1\nm:\n  v:\n    w: 1"},
    };
    FILL(rows);
}

static void expressions_and_blocks(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: 1", "{{ \"a\\qb\" }}{{ `a\\` }}", "$__a_qb___a\\"}, // Go: unknown escape
        {"a: 1", "{{ - }}{{ +2 }}{{ ( }}{{ .. }}{{ $. }}{{ true 1 }}", "$____2$____$_____$_____$_true_1__"},
        {"a: 1", "{{ (list).b }}{{ 1 | quote | }}{{ if }}x{{ end }}{{ \"x\" | nosuch }}",
         "$__list__b__$_1___quote____$_nosuch__"},
        {"a: 1", "{{ include }}{{ include .Files.x }}{{ include (printf \"%s\" .Files.x) . }}",
         "$_include__$_include__Files_x__$_include__printf___s___Files_x_____"},
        {"a: 1", "{{ $a, $b, $c := 1 }}", "$__a___b___c____1__"},
        {"a: 1", "{{ $y := 2 }}{{ $x := 1 }}{{ $y = 3 }}{{ $y }}{{ $x = 4 }}{{ $x }}", "34"},
        // a mapping is walked as it was when the range began (fmtsort.Sort)
        {"a: {b: 1, c: 2}",
         "{{ range $k, $v := .Values.a }}{{ $_ := unset $.Values.a \"c\" }}{{ $k }}{{ $v }}{{ end }}", "b1c2"},
        {"a: {b: 1}", "{{ range $k, $v := .Values.a }}{{ $_ := set $.Values.a \"a\" 5 }}{{ $k }}{{ $v }}{{ end }}",
         "b1"},
        {"a: x", "{{ range .Values.a }}x{{ end }}{{ range 1.5 }}x{{ end }}{{ range true }}x{{ end }}", ""},
        {"a: 1", "{{ with $x := 0 }}a{{ else }}{{ $x }}{{ end }}{{ if $y := 3 }}{{ $y }}{{ end }}", "03"},
        {"a: 1",
         "{{ if false }}a{{ else }}b{{ if true }}c{{ end }}{{ end }}{{ if false }}{{ else }}{{ if 1 }}d{{ end }}{{ end "
         "}}",
         "bcd"},
        {"a: 1", "{{ define \"d\" }}{{ range until 3 }}{{ if .x }}{{ end }}{{ end }}z{{ end }}<{{ include \"d\" . }}>",
         "<$__x__>"},
        {"a: 1", "{{ define \"d\" }}{{ range until 3 }}{{ break }}{{ end }}z{{ end }}{{ template 5 }}", "$_5__"},
        {"a: 1", "x: 1\n  y:\n\n\n    {{ include \"no\" . | nindent 4 }}",
         "x: 1\n  y:\n\n\n    \n    $_include__no_____"},
        {"a: 1", "{{ include \"no\" . | nindent 2 }}", "\n  $_include__no_____"},
        {"a: 1", "{{ block `d` . }}x{{ end }}{{- /* c */}} {{- /* d */ -}} y{{ -1 }}{{-1 }}", "xy-1-1"},
    };
    FILL(rows);
}

static void no_templates(void **state)
{
    (void)state;
    static const struct {
        const char *template, *why;
    } rows[] = {
        {"{{ break }}", "a break or continue outside a range"},
        {"{{ if 1 }}{{ continue }}{{ end }}", "a break or continue outside a range"},
        {"{{ range 2 }}{{ define \"d\" }}{{ break }}{{ end }}{{ end }}", "a break or continue outside a range"},
        {"{{ range 2 }}{{ else }}{{ break }}{{ end }}", "a break or continue outside a range"},
        {"{{ define }}{{ end }}", "a definition without a name"},
        {"{{ define `d` }}", "a block that does not end"},
        {"{{ block \"d\" . }}{{ if 1 }}{{ end }}", "a block that does not end"},
        {"{{ if 1 }}{{ else if 2 }}", "a block that does not end"},
        {"{{ if 1 }}{{ else }}{{ x", "braces that do not end"},
        {"{{ /* x }}", "braces that do not end"},
        {"{{ `a", "braces that do not end"},
        {"{{ 'a", "braces that do not end"},
        {"{{-", "braces that do not end"},
        {"{{ \"a\\", "braces that do not end"},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        make(&made, "a: 1", rows[i].template);
        if (made.parsed || strcmp(made.slip.why, rows[i].why) != 0) {
            print_error("%s: %s\n", rows[i].template, made.parsed ? "parsed" : made.slip.why);
        }
        assert_true(!made.parsed && strcmp(made.slip.why, rows[i].why) == 0);
        drop(&made);
    }
}

// 64 MiB and 4 million steps: what needs more is not rendered, and says nothing of memory.
static void limits(void **state)
{
    (void)state;
    static const char *const rows[] = {
        "{{ $x := \"0123456789abcdef\" }}{{ range until 40 }}{{ $x = print $x $x }}{{ end }}",
        "{{ $l := until 90000 }}{{ range until 90 }}{{ $l = concat $l $l }}{{ end }}",
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toJson $d }}",
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ print $d }}",
        "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ deepCopy $d }}",
        ("{{ $x := \"0123456789abcdef\" }}{{ range until 19 }}{{ $x = print $x $x }}{{ end }}{{ toYaml (list $x $x 1) "
         "}}"),
        "{{ $l := until 4000 }}{{ uniq $l }}",
        "{{ range until 90000 }}{{ range until 9 }}0123456789abcdef{{ end }}{{ end }}",
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        make(&made, "a: 1", rows[i]);
        assert_true(made.parsed);
        assert_false(made.rendered);
        assert_true(made.room.spent && !made.room.out_of_memory);
        drop(&made);
    }
}

static void many_that_stay_open(void **state)
{
    (void)state;
    struct kvb_buffer text;
    struct made made;
    kvb_buffer_init(&text);
    for (int i = 0; i < 100; i++) {
        kvb_buffer_add(&text, "{{ if .x.y }}{{ end }}");
    }
    make(&made, "a: 1", kvb_buffer_text(&text));
    assert_true(made.rendered);
    assert_int_equal(made.run.open_count, 100);
    assert_int_equal(made.run.opens[99].from, 99 * strlen("{{ if .x.y }}{{ end }}"));
    drop(&made);
    kvb_buffer_free(&text);
}

#define VALUES "a: {b: [1, x, 0.5, true, null], c: {d: y, e: 2}}\nt: '{{ .Values.a.c.d }}'"
#define TEMPLATE                                                                                                       \
    "{{ define \"d\" }}[{{ . }}]{{ end }}{{ $x := 1 }}{{ $x = 2 }}{{ range $i, $v := .Values.a.b }}{{ $i }}{{ end }}"  \
    "{{ toYaml .Values.a | nindent 2 }}{{ toJson .Values.a | quote }}{{ include \"d\" 7 }}{{ template \"d\" 8 }}"      \
    "{{ tpl .Values.t . }}{{ if .Files.x }}{{ else if 2 }}{{ end }}{{ block \"e\" . }}{{ end }}{{ with 5 }}{{ . }}"    \
    "{{ else with 4 }}{{ end }}{{ join \",\" (concat (list 1 2) (until 5) (splitList \",\" \"a,b\")) }}"               \
    "{{ merge (dict \"k\" 1 \"l\" (dict)) (deepCopy .Values.a) | keys }}{{ printf \"%s %q\" .Files.x \"z\" }}"         \
    "{{ omit .Values.a \"b\" }}{{ upper \"a\" | trunc 1 | replace \"A\" \"b\" | trim }}{{ add 1 2 | int }}"            \
    "{{ fromYaml \"a: {b: 1}\" }}{{ uniq (list 1 1) }}{{ without (list 1) 2 }}{{ compact (list 1) }}{{ rest (list 1 "  \
    "2) }}"                                                                                                            \
    "{{ cat 1 2 }}{{ squote 1 }}{{ if $y := 1 }}{{ $y }}{{ end }}{{ append (list) 1 }}{{ prepend (list) 1 }}"

// The values are read before memory ends; from then on each piece fails once, and no answer comes of it.
static void no_part_of_a_template(void **state)
{
    (void)state;
    struct made whole;
    make(&whole, VALUES, TEMPLATE);
    assert_true(whole.rendered);
    unsigned long refused = 0, n = 1;
    for (bool failed = true; failed; n++) {
        struct kvb_tree tree;
        struct kvb_helm_room room = {0};
        struct kvb_helm_slip slip;
        const struct kvb_helm_step_node *root = NULL;
        struct kvb_helm_run run = {.room = &room, .text = TEMPLATE};
        kvb_arena_init(&room.arena);
        kvb_buffer_init(&run.out);
        assert_int_equal(kvb_tree_read_manifest(&tree, "", VALUES, strlen(VALUES), NULL), KVB_OK);
        (void)kvb_memory_fail_once(n);
        struct kvb_helm_value top = kvb_helm_map(&room);
        kvb_helm_set(&room, &top, "Values", kvb_helm_from_node(&room, tree.root));
        kvb_helm_set(&room, &top, "Files", kvb_helm_unknown(".Files"));
        bool parsed = kvb_helm_parse(&room, run.text, &run.defines, &root, &slip);
        bool rendered = parsed && kvb_helm_render(&run, root, &top);
        failed = kvb_memory_fail_once(0) == 0;
        refused += failed;
        assert_int_equal(rendered, !failed);
        assert_int_equal(room.out_of_memory, failed);
        assert_true(parsed || slip.at == NULL);
        if (rendered) {
            assert_string_equal(kvb_buffer_text(&run.out), kvb_buffer_text(&whole.run.out));
        }
        kvb_tree_free(&tree);
        kvb_helm_run_free(&run);
        kvb_arena_free(&room.arena);
    }
    assert_true(refused > 300);
    drop(&whole);
}

// 100,000 lines of 4 bytes and 2,000 holes below them: looking back from each would be 800 MB, at 64 bytes a step three
// times what filling a template may take.
static void holes_below_many_lines(void **state)
{
    (void)state;
    static char template[600000];
    struct made made;
    char *at = template + sprintf(template, "a:\n");
    for (unsigned i = 0; i < 100000; i++) {
        at += sprintf(at, "  x\n");
    }
    for (unsigned i = 0; i < 2000; i++) {
        at += sprintf(at, "  {{ .Files }}\n");
    }
    make(&made, "a: 1\n", template);
    assert_true(made.parsed && !made.rendered && made.room.spent && !made.room.out_of_memory);
    drop(&made);
}

KVB_TEST_MAIN(cmocka_unit_test(holes_below_many_lines), cmocka_unit_test(wrong_numbers),
              cmocka_unit_test(kinds_of_arguments), cmocka_unit_test(lists_and_holes),
              cmocka_unit_test(numbers_and_texts), cmocka_unit_test(many_holes),
              cmocka_unit_test(expressions_and_blocks), cmocka_unit_test(no_templates), cmocka_unit_test(limits),
              cmocka_unit_test(many_that_stay_open), cmocka_unit_test(no_part_of_a_template))
