// Templates filled with values: what Go's text/template, Sprig and Helm print for them, worked out by hand from their
// documentation. `$_X__` stands for what cannot be known.
#include "unit/helm_fill.h"

static void values_and_fields(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: {b: x}", "<{{ .Values.a.b }}>", "<x>"},
        {"a: 1", "{{ $.Values.a }} {{- 2 }} {{ -3 -}}  {{ true }}", "12 -3true"},
        {"a: 131072", "{{ .Values.a }}", "131072"},
        {"a: 0.90", "{{ .Values.a }}", "0.9"},
        {"a: -0.5", "{{ .Values.a }}", "-0.5"},
        {"a: .5", "{{ .Values.a }}", "0.5"},
        {"a: 2.0", "{{ .Values.a }}", "2"},
        {"a: '0.90'", "{{ .Values.a }}", "0.90"},
        {"a: 0.123456789", "{{ .Values.a }}", "0.123456789"},
        {"a: 12345678901234567890", "{{ .Values.a }}", "12345678901234567890"},
        {"a: 0777", "{{ .Values.a }}", "0777"},
        {"a: yes", "{{ .Values.a }}", "true"},
        {"a: Off", "{{ .Values.a }}", "false"},
        {"a: [1, x, true]", "{{ .Values.a }}", "[1 x true]"},
        {"a: {c: 2, b: 1}", "{{ .Values.a }}", "map[b:1 c:2]"},
        {"a: 1", "{{ .Values.b }}", "$__Values_b__"},
        {"a: 1", "{{ .Values.b.c }}", "$__Values_b_c__"},
        {"a: 1", "{{ (.Values.b).c | default \"d\" }}", "d"},
        {"a: {b: 2}", "{{ (.Values.a).b }}", "2"},
        {"a: 1", "{{ .Values.a.b }}", "$__Values_a_b__"},
        {"a: 1", "{{ .Files.Get \"x\" }}", "$__Files_Get__x___"},
        {"a: 1", "{{ nosuch .Values.a }}", "$_nosuch__Values_a__"},
        {"a: 1", "{{ $x }}{{ nil }}", "$__x__$_nil__"},
        {"a: 1", "{{/* a }} comment */}}x {{- /* y */ -}} z", "xz"},
        {"a: 1", "{{ \"a\\\"b\\nc\\td\" }}{{ `r\\n` }}{{ 'c' }}", "a\"b\nc\tdr\\n$__c___"}, // 'c' is a number in Go
        {"a: 1", "{{ 1.5 }}{{ 1x }}", "1.5$_1x__"},
        {"a: 1", "{{ \"a\" \"b\" }}{{ 1 | 2 }}{{ (1 }}{{ ? }}", "$__a___b___$_2__$__1__$____"},
    };
    FILL(rows);
}

static void blocks(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: 1", "{{ if .Values.a }}y{{ else }}n{{ end }}", "y"},
        {"a: 0", "{{ if .Values.a }}y{{ else }}n{{ end }}", "n"},
        {"a: ''", "{{ if .Values.a }}y{{ else if true }}m{{ else }}n{{ end }}", "m"},
        {"a: []", "{{ if .Values.a }}y{{ else if false }}m{{ else }}n{{ end }}", "n"},
        {"a: {b: 1}", "{{ with .Values.a }}{{ .b }}{{ end }}", "1"},
        {"a: {}", "{{ with .Values.a }}{{ .b }}{{ else }}e{{ end }}", "e"},
        {"a: {}", "{{ with .Values.a }}x{{ else with 5 }}{{ . }}{{ end }}", "5"},
        {"a: 3", "{{ with $x := .Values.a }}{{ $x }}{{ . }}{{ end }}", "33"},
        {"a: [x, z]", "{{ range .Values.a }}<{{ . }}>{{ end }}", "<x><z>"},
        {"a: [x, z]", "{{ range $i, $v := .Values.a }}{{ $i }}{{ $v }}{{ end }}", "0x1z"},
        {"a: [x, z]", "{{ range $v := .Values.a }}{{ $v }}{{ end }}", "xz"},
        {"a: {z: 1, b: 2}", "{{ range $k, $v := .Values.a }}{{ $k }}{{ $v }}{{ end }}", "b2z1"},
        {"a: []", "{{ range .Values.a }}x{{ else }}none{{ end }}", "none"},
        {"a: 1", "{{ range .Values.none }}x{{ end }}", ""},
        {"a: 3", "{{ range .Values.a }}{{ . }}{{ end }}", "012"},
        {"a: 1", "{{ range $i, $v := 2 }}{{ $i }}{{ $v }}{{ end }}", "0011"},
        {"a: [1, 2, 3]", "{{ range .Values.a }}{{ if eq . 2 }}{{ continue }}{{ end }}{{ . }}{{ end }}", "13"},
        {"a: [1, 2, 3]", "{{ range .Values.a }}{{ if eq . 2 }}{{ break }}{{ end }}{{ . }}{{ end }}", "1"},
        {"a: 1", "{{ $x := 1 }}{{ if true }}{{ $x = 2 }}{{ $y := 3 }}{{ end }}{{ $x }}", "2"},
        {"a: 1", "{{ $x := 1 }}{{ $z = 5 }}{{ $x }}", "1"},
        {"a: 1", "{{ define \"d\" }}[{{ . }}]{{ end }}{{ include \"d\" 7 }}{{ template \"d\" 8 }}", "[7][8]"},
        {"a: 1", "{{ define \"d\" }}x{{ end }}{{ template \"d\" }}", "x"},
        {"a: 1", "{{ block \"d\" .Values }}{{ .a }}{{ end }}", "1"},
        {"a: 1", "{{ include \"none\" . }}|{{ template \"none\" . }}|{{ template x }}",
         "$_include__none_____|$__none_____|$_x__"},
        {"a: 'p {{ .Values.b }}'\nb: q", "{{ tpl .Values.a . }}{{ tpl \"plain\" . }}", "p qplain"},
        {"a: '{{ if }'", "{{ tpl .Values.a . }}", "$_tpl__Values_a____"},
        {"a: '{{ end }}'", "{{ tpl .Values.a . }}", "$_tpl__Values_a____"},
        {"a: 1", "{{ include .Values.b . }}{{ include 3 . }}", "$_include__Values_b____$_include_3____"},
        {"a: 1", "{{ include .Values.b.c . }}", "$__Values_b_c__"},
        {"a: 1", "{{ define \"d\" }}{{ if .Files.x }}y{{ end }}{{ end }}{{ include \"d\" . }}", "$__Files_x__"},
        {"a: 1", "{{ define \"d\" }}{{ include \"d\" . }}{{ end }}<{{ include \"d\" . | len | kindIs \"x\" }}>",
         "<$_len__>"},
        {"a: 1", "labels:\n  {{- include \"no\" . | nindent 2 }}\nx: 1", "labels:\nx: 1"},
        {"a: 1", "labels: {{- include \"no\" . | nindent 2 }}\nx: 1", "labels:\nx: 1"},
        {"a: 1", "args:\n  {{- include \"no\" . | nindent 2 }}\nx: 1", "args:\n  $_include__no_____\nx: 1"},
        {"a: 1", "labels:\n  a: {{ include \"no\" . }}", "labels:\n  a: $_include__no_____"},
        {"a: 1", "labels:\n  {{ template \"no\" . }}\n", "labels:\n  \n"},
    };
    FILL(rows);
}

static void texts(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: x y", "{{ .Values.a | quote }}{{ squote .Values.a }}{{ quote 1 }}", "\"x y\"'x y'\"1\""},
        {"a: 1", "{{ quote .Values.b }}{{ squote .Values.b }}{{ toString .Values.b }}",
         "$_quote__Values_b__$_squote__Values_b__$_toString__Values_b__"},
        {"a: [b, 'true', 5]\nc: {d: e f, g: []}", "{{ toYaml .Values }}",
         "a:\n- b\n- 'true'\n- 5\nc:\n  d: 'e f'\n  g: []"},
        {"a: \"l1\\nl2\\n\"", "{{ toYaml .Values }}", "a: |\n  l1\n  l2"},
        {"a: \"l1\\nl2\"", "{{ toYaml .Values }}", "a: |-\n  l1\n  l2"},
        {"a: \"l1\\n\\n\"", "{{ toYaml .Values }}", "a: |+\n  l1\n"},
        {"a: \"\\n x\"\nb: \"\\a\"\nc: it's", "{{ toYaml .Values }}", "a: \"\\n x\"\nb: \"\\u0007\"\nc: 'it''s'"},
        {"a: [[1, 2], {b: [3]}]", "{{ toYaml .Values.a }}", "- - 1\n  - 2\n- b:\n  - 3"},
        {"a: null", "{{ toYaml .Values }}{{ toJson .Values }}", "a: null{\"a\":null}"},
        {"a: {b: [1, x], c: true}", "{{ toJson .Values.a }}", "{\"b\":[1,\"x\"],\"c\":true}"},
        {"a: \"x\\ny\"", "{{ .Values.a | indent 2 }}{{ .Values.a | nindent 1 }}", "  x\n  y\n x\n y"},
        {"a: 1", "{{ indent -1 \"x\" }}", "$_indent__1__x___"},
        {"a: 0.9", "{{ printf \"%s=%v %d%% %q %t\" \"k\" .Values.a 3 \"z\" true }}", "k=0.9 3% \"z\" true"},
        {"a: 1", "{{ printf \"%s\" }}{{ printf \"%\" 1 }}{{ printf \"%x\" 1 }}{{ printf \"%d\" 1.5 }}",
         "$_printf___s___$_printf_____1__$_printf___x__1__$_printf___d__1_5__"},
        {"a: 1", "{{ printf \"a\" 1 }}{{ printf \"%t\" 1 }}{{ printf \"%s\" .Values.b }}",
         "$_printf__a__1__$_printf___t__1__$_printf___s___Values_b__"},
        {"a: 1", "{{ printf \"m=%s\" .Values.b.c }}", "m=$__Values_b_c__"},
        {"a: 1", "{{ print 1 2 \"x\" 3 }}{{ cat 1 \"x\" }}", "1 2x31 x"},
        {"a: ' x '", "<{{ trim .Values.a }}><{{ trimAll \"-\" \"-y-\" }}>", "<x><y>"},
        {"a: 1",
         "{{ trimSuffix \"-\" \"a-\" }}{{ trimSuffix \"longer\" \"b\" }}{{ trimPrefix \"v\" \"v1\" }}"
         "{{ trimPrefix \"v\" \"w\" }}",
         "ab1w"},
        {"a: 1", "{{ trunc 2 \"abc\" }}{{ trunc -2 \"xyz\" }}{{ trunc 9 \"q\" }}{{ trunc \"n\" \"q\" }}",
         "abyzq$_trunc__n___q___"},
        {"a: 1", "{{ \"a.b.c\" | replace \".\" \"-\" }}{{ replace \"\" \"-\" \"x\" }}", "a-b-cx"},
        {"a: 1", "{{ lower \"AbZ[\" }}{{ upper \"aBz{\" }}", "abz[ABZ{"},
        {"a: 1",
         "{{ contains \"b\" \"abc\" }}{{ hasPrefix \"b\" \"abc\" }}{{ hasSuffix \"c\" \"abc\" }}"
         "{{ hasSuffix \"long\" \"c\" }}",
         "truefalsetruefalse"},
        {"a: 1", "{{ lower .Values.b.c }}{{ printf \"%s\" .Values.b.c | lower }}", "$__Values_b_c__$_lower__"},
    };
    FILL(rows);
}

static void logic(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: 0", "{{ default 5 .Values.a }}{{ .Values.b | default \"d\" }}{{ default 5 .Values.b.c }}",
         "5d$__Values_b_c__"},
        {"a: 1", "{{ coalesce .Values.b \"\" 3 }}{{ coalesce 0 \"\" }}", "3$_coalesce_0_____"},
        {"a: ''", "{{ required \"m\" 4 }}{{ required \"m\" .Values.a }}", "4$_required__m___Values_a__"},
        {"a: 1", "{{ ternary \"y\" \"n\" true }}{{ false | ternary \"y\" \"n\" }}{{ ternary 1 2 .Values.b.c }}",
         "yn$__Values_b_c__"},
        {"a: 1", "{{ empty \"\" }}{{ not 1 }}{{ and 1 0 2 }}{{ and 1 2 }}{{ or 0 3 4 }}{{ or 0 \"\" }}",
         "truefalse023"},
        {"a: 1", "{{ and .Values.b.c false }}{{ and .Values.b.c true }}{{ or .Values.b.c true }}",
         "false$__Values_b_c__$__Values_b_c__"},
        {"a: 1", "{{ eq 1 1 }}{{ eq \"a\" \"b\" \"a\" }}{{ eq 1 \"1\" }}{{ eq .Values.b nil }}{{ ne 1 2 }}",
         "truetrue$_eq_1__1___truetrue"},
        {"a: 1", "{{ ne 1 \"x\" }}{{ eq true false }}{{ eq .Values .Values }}",
         "$_ne_1__x___false$_eq__Values__Values__"},
        {"a: 1", "{{ lt 1 1.5 }}{{ le 2 2 }}{{ gt 0.5 1 }}{{ ge 2 1 }}{{ lt \"a\" \"b\" }}{{ gt 1 \"x\" }}",
         "truetruefalsetruetrue$_gt_1__x___"},
        {"a: 999999999999999999", "{{ lt .Values.a 1 }}{{ lt 1 .Values.a }}", "$_lt__Values_a_1__$_lt_1__Values_a__"},
        {"a: 1", "{{ int \"12\" }}{{ int 3.9 }}{{ int true }}{{ int \"x\" }}{{ float64 \"0.50\" }}{{ float64 true }}",
         "123100.5$_float64_true__"},
        {"a: 1",
         "{{ add 1 2 3 }} {{ sub 5 7 }} {{ mul 4 5 }} {{ div 7 2 }} {{ mod 7 4 }} {{ min 3 1 }} {{ max 1 9 }} "
         "{{ add1 4 }}",
         "6 -2 20 3 3 1 9 5"},
        {"a: 1", "{{ div 1 0 }}{{ mod 1 0 }}{{ add \"x\" 1 }}{{ add1 \"x\" }}{{ mul 999999999999 999999999999 9 }}",
         "$_div_1_0__$_mod_1_0__$_add__x__1__$_add1__x___$_mul_999999999999_999999999999_9__"},
        {"a: 1",
         "{{ kindIs \"map\" .Values }}{{ kindIs \"slice\" (list) }}{{ kindIs \"string\" 1 }}"
         "{{ kindIs \"float64\" 1 }}{{ typeIs \"string\" \"x\" }}",
         "truetruefalse$_kindIs__float64__1__true"},
        {"a: 1", "{{ not .Values.b.c }}{{ default 1 }}{{ len 1 2 }}", "$__Values_b_c__$_default_1__$_len_1_2__"},
    };
    FILL(rows);
}

static void lists(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: [1, 2]",
         "{{ list 1 \"x\" }}{{ concat .Values.a (list 3) }}{{ append .Values.a 9 }}{{ prepend .Values.a 0 }}",
         "[1 x][1 2 3][1 2 9][0 1 2]"},
        {"a: 1", "{{ concat 1 }}{{ append 1 2 }}{{ prepend 1 2 }}{{ first 1 }}{{ rest 1 }}",
         "$_concat_1__$_append_1_2__$_prepend_1_2__$_first_1__$_rest_1__"},
        {"a: [1, 2, 3]", "{{ first .Values.a }}{{ last .Values.a }}{{ rest .Values.a }}{{ initial .Values.a }}",
         "13[2 3][1 2]"},
        {"a: []", "{{ first .Values.a }}{{ last .Values.a }}{{ initial .Values.a }}",
         "$_first__Values_a__$_last__Values_a__[]"},
        {"a: [1, 2]", "{{ has 2 .Values.a }}{{ has 3 .Values.a }}{{ has 3 \"x\" }}{{ has 3 (list .Values.b.c) }}",
         "truefalse$_has_3__x___$_has_3__list__Values_b_c___"},
        {"a: [1, 2, 1]", "{{ without .Values.a 2 }}{{ uniq .Values.a }}{{ compact (list 0 1 \"\") }}", "[1 1][1 2][1]"},
        {"a: 1", "{{ without 1 2 }}{{ uniq 1 }}{{ compact 1 }}", "$_without_1_2__$_uniq_1__$_compact_1__"},
        {"a: [x, 2]", "{{ join \",\" .Values.a }}{{ join \",\" 5 }}{{ join \",\" (list .Values.b.c 1) }}",
         "x,25$__Values_b_c__,1"},
        {"a: 1", "{{ splitList \",\" \"a,b,\" | len }}{{ splitList \"\" \"a\" }}", "3$_splitList_____a___"},
        {"a: 1", "{{ until 3 }}{{ until -2 }}{{ untilStep 1 6 2 }}{{ untilStep 3 0 -1 }}",
         "[0 1 2][0 -1][1 3 5][3 2 1]"},
        {"a: 1", "{{ until \"x\" }}{{ untilStep 1 2 0 }}{{ untilStep 1 2 \"x\" }}{{ until 999999 }}",
         "$_until__x___$_untilStep_1_2_0__$_untilStep_1_2__x___$_until_999999__"},
    };
    FILL(rows);
}

static void maps(void **state)
{
    (void)state;
    static const struct row rows[] = {
        {"a: {b: 1}", "{{ dict \"x\" 1 \"w\" 2 }}{{ get .Values.a \"b\" }}{{ get .Values.a \"c\" }}", "map[w:2 x:1]1"},
        {"a: {b: 1}", "{{ $_ := set .Values.a \"c\" 2 }}{{ $_ = set .Values.a \"b\" 3 }}{{ .Values.a }}",
         "map[b:3 c:2]"},
        {"a: {b: 1, c: 2}", "{{ $_ := unset .Values.a \"b\" }}{{ $_ := unset .Values.a \"z\" }}{{ .Values.a }}",
         "map[c:2]"},
        {"a: {b: 1}", "{{ hasKey .Values.a \"b\" }}{{ hasKey .Values.a \"c\" }}{{ hasKey 1 \"b\" }}",
         "truefalse$_hasKey_1__b___"},
        {"a: 1", "{{ dict 1 2 }}{{ get 1 \"x\" }}{{ set 1 \"x\" 2 }}{{ unset 1 \"x\" }}{{ keys 1 }}",
         "$_dict_1_2__$_get_1__x___$_set_1__x__2__$_unset_1__x___$_keys_1__"},
        {"a: {b: 1, c: 2}",
         "{{ keys .Values.a }}{{ values .Values.a }}{{ pick .Values.a \"b\" }}{{ omit .Values.a \"b\" }}",
         "[b c][1 2]map[b:1]map[c:2]"},
        {"a: 1", "{{ pick 1 \"b\" }}{{ merge 1 }}{{ merge (dict) 1 }}", "$_pick_1__b___$_merge_1__$_merge__dict__1__"},
        {"a: {b: 1, d: {e: 1}}\nc: {b: 2, d: {f: 2}}", "{{ merge (dict) .Values.a .Values.c }}",
         "map[b:1 d:map[e:1 f:2]]"},
        {"a: {b: 1}\nc: {b: 2}", "{{ mergeOverwrite (deepCopy .Values.a) .Values.c }}{{ .Values.a }}",
         "map[b:2]map[b:1]"},
        {"a: {b: [5, 6]}", "{{ index .Values \"a\" \"b\" 1 }}{{ index .Values \"z\" }}{{ index .Values.a.b 7 }}",
         "6$_index__Values__z___$_index__Values_a_b_7__"},
        {"a: {b: {c: 1}}",
         "{{ dig \"b\" \"c\" 0 .Values.a }}{{ dig \"b\" \"x\" 0 .Values.a }}{{ dig \"b\" \"c\" \"d\" 0 .Values.a }}",
         "10$_dig__b___c___d__0__Values_a__"},
        {"a: [1]", "{{ len .Values.a }}{{ len \"abc\" }}{{ len .Values }}{{ len 5 }}", "131$_len_5__"},
        {"a: 1", "{{ (fromYaml \"b: {c: 2}\").b.c }}{{ fromYaml \"\" }}{{ fromYaml \"{\" }}{{ fromYamlArray \"[4]\" }}",
         "2map[]$_fromYaml______[4]"},
        {"a: 1", "{{ fromYaml \"[1]\" }}{{ lookup \"v1\" \"Secret\" \"n\" \"x\" }}", "$_fromYaml___1____map[]"},
    };
    FILL(rows);
}

static void what_is_no_template(void **state)
{
    (void)state;
    static const struct {
        const char *template, *why;
        size_t at;
    } rows[] = {
        {"a {{ if 1 }}", "a block that does not end", 2},
        {"{{ end }}", "an end without a beginning", 0},
        {"{{ else }}", "an end without a beginning", 0},
        {"{{ if 1 }}{{ else }}{{ else }}{{ end }}", "a second else", 20},
        {"xy{{ \"a }}", "braces that do not end", 2},
        {"{{ x", "braces that do not end", 0},
        {"{{ define x }}{{ end }}", "a definition without a name", 0},
        {"{{ define \"x }}{{ end }}", "braces that do not end", 0},
    };
    for (size_t i = 0; i < sizeof rows / sizeof rows[0]; i++) {
        struct made made;
        make(&made, "a: 1", rows[i].template);
        assert_false(made.parsed);
        assert_string_equal(made.slip.why, rows[i].why);
        assert_int_equal(made.slip.at - rows[i].template, rows[i].at);
        drop(&made);
    }
}

// A condition nobody can evaluate leaves its block out and says where it stood.
static void what_stays_open(void **state)
{
    (void)state;
    struct made made;
    make(&made, "a: 1", "x\n{{ if .Files.x }}y{{ end }}\n{{ range .Values.a.b }}z{{ end }}");
    assert_true(made.rendered);
    assert_string_equal(kvb_buffer_text(&made.run.out), "x\n\n");
    assert_int_equal(made.run.open_count, 2);
    assert_string_equal(made.run.opens[0].expression, ".Files.x");
    assert_int_equal(made.run.opens[0].from, 2);
    assert_int_equal(made.run.opens[1].from, 30);
    drop(&made);
}

static void places(void **state)
{
    (void)state;
    struct made made;
    bool literal;
    make(&made, "a: long", "ab{{ .Values.a }}cd");
    assert_int_equal(kvb_helm_origin(&made.run, 1, &literal), 1);
    assert_true(literal);
    assert_int_equal(kvb_helm_origin(&made.run, 4, &literal), 2);
    assert_false(literal);
    assert_int_equal(kvb_helm_origin(&made.run, 7, &literal), 18);
    drop(&made);
    make(&made, "a: 1", "");
    assert_int_equal(kvb_helm_origin(&made.run, 1, &literal), 0);
    drop(&made);
}

// Work and memory end where no chart goes.
static void limits(void **state)
{
    (void)state;
    struct made made;
    make(&made, "a: 1", "{{ range until 90000 }}{{ range until 90000 }}x{{ end }}{{ end }}");
    assert_false(made.rendered);
    drop(&made);
    make(&made, "a: 1", "{{ range 999999999 }}{{ end }}");
    assert_false(made.rendered);
    drop(&made);
    make(&made, "a: 1", "{{ $d := dict }}{{ $_ := set $d \"d\" $d }}{{ toYaml $d }}");
    assert_false(made.rendered);
    drop(&made);
    struct kvb_buffer deep;
    kvb_buffer_init(&deep);
    for (int i = 0; i < 70; i++) {
        kvb_buffer_add(&deep, "{{ if 1 }}");
    }
    make(&made, "a: 1", kvb_buffer_text(&deep));
    assert_string_equal(made.slip.why, "blocks nested deeper than 64 levels");
    drop(&made);
    kvb_buffer_free(&deep);
    kvb_buffer_init(&deep);
    kvb_buffer_add(&deep, "{{ ");
    for (int i = 0; i < 200; i++) {
        kvb_buffer_add(&deep, "(");
    }
    kvb_buffer_add(&deep, " }}");
    make(&made, "a: 1", kvb_buffer_text(&deep));
    assert_true(made.rendered);
    drop(&made);
    kvb_buffer_free(&deep);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(values_and_fields),
        cmocka_unit_test(blocks),
        cmocka_unit_test(texts),
        cmocka_unit_test(logic),
        cmocka_unit_test(lists),
        cmocka_unit_test(maps),
        cmocka_unit_test(what_is_no_template),
        cmocka_unit_test(what_stays_open),
        cmocka_unit_test(places),
        cmocka_unit_test(limits),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
