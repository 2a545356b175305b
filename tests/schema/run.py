#!/usr/bin/env python3
"""Holds every document that tests produce against its JSON Schema, with a validator that is not ours (python3-jsonschema).

  run.py TOOL SOURCE_FOLDER [FILE...]     exit code 77 where jsonschema is not installed

A published schema lets unknown keys pass, as keys may be added; here it does not, so that a new key needs its row.
"""
import glob
import json
import os
import subprocess
import sys

try:
    from jsonschema import Draft202012Validator as Validator
except ImportError:
    if sys.executable != "/usr/bin/python3" and os.path.exists("/usr/bin/python3"):
        os.execv("/usr/bin/python3", ["/usr/bin/python3", *sys.argv])  # Debian's, where its packages are
    print("python3-jsonschema is not here: documents are not validated", file=sys.stderr)
    sys.exit(77)

TOOL, SOURCE = os.path.abspath(sys.argv[1]), sys.argv[2]
OPEN = ("any", "sweep.rows")  # a row of a sweep has the values of its axes besides


def run(*words):
    environment = {**os.environ, "KVBUDGET_OFFLINE": "1", "KVBUDGET_CACHE": "/nonexistent", "LC_ALL": "C"}
    return subprocess.run([TOOL, *words], cwd=SOURCE, env=environment, capture_output=True, text=True, check=False).stdout


def schema_of(command):
    schema = json.loads(run("schema", command))
    Validator.check_schema(schema)
    for name, part in schema.get("$defs", {}).items():
        if name not in OPEN:
            part["additionalProperties"] = False
    return Validator(schema)


def documents(text):
    """The documents of a text: one, or one a line."""
    try:
        return [json.loads(text)]
    except ValueError:
        pass
    found = []
    for line in text.splitlines():
        try:
            found.append(json.loads(line))
        except ValueError:
            return []
    return found


def asked():
    """Documents asked for here: every command over the fixtures."""
    every = lambda pattern: sorted(glob.glob(os.path.join(SOURCE, "tests/fixtures", pattern)))
    for log in every("logs/*.log") + every("logs/public/*"):
        yield run("explain", "--json", log)
        yield run("explain", "--json", "--gpu", "l4", log)
        yield run("record", "--json", log)
    for state in every("smi/*"):
        yield run("probe", "--json", "--gpu-state", state)
        yield run("probe", "--json", "--gpu-state", state, "--model", "Qwen/Qwen3-8B")
        yield run("plan", "--json", "--gpu-state", state, "--gpu", "live", "--model", "Qwen/Qwen3-8B")
    for file in every("residents/*") + sorted(glob.glob(os.path.join(SOURCE, "profiles/deployments/*"))):
        yield run("plan", "--json", file)
    for config in every("configs/*.json")[:12]:
        yield run("plan", "--json", "--model", config, "--gpu", "l4")
        yield run("plan", "--json", "--model", config, "--gpu", "h100", "--against", "vllm@0.10.2")
    for line in ("vllm serve Qwen/Qwen3-32B --max-model-len 32768", "llama-server -hf Qwen/Qwen3-8B-GGUF:Q4_K_M -c 8192",
                 "python -m sglang.launch_server --model-path Qwen/Qwen3-8B", "vllm serve Qwen/Qwen3-8B --cpu-offload-gb 4"):
        yield run("plan", "--json", "--gpu", "l4", "--", *line.split())
    yield run("plan", "--json", "--model", "Qwen/Qwen3-8B")
    yield run("plan", "--json", "--model", "Qwen/Qwen3-8B", "--gpu", "l4", "--show", "utilization-for=4GiB")
    yield run("check", "--json", "--gpu", "l4", "tests/fixtures/manifests")
    yield run("models", "--json", "--gpu", "l4")
    yield run("sweep", "--json", "--model", "Qwen/Qwen3-8B", "--gpu", "l4,2xl40s", "--max-model-len", "8k..32k:x2")
    yield run("profiles", "list", "--json")
    yield run("profiles", "check", "--json", "profiles/gpus/l4.yaml")
    yield run("hub", "list", "--json")


def requests():
    """Those of the tests of kvb_ask that are answered."""
    return [
        {"model": "Qwen/Qwen3-8B", "gpu": "l4", "max_model_len": 4096, "enforce_eager": True},
        {"line": ["vllm", "serve", "Qwen/Qwen3-8B"], "gpu": "l4"},
        {"deployment": {"name": "d", "model": "Qwen/Qwen3-8B", "gpu": "l4"}},
        {"command": "explain", "log": "ValueError: No available memory for the cache blocks."},
        {"command": "check", "paths": ["tests"]},
    ]


def main():
    validators, failed, count = {}, 0, 0
    golden = [open(path, encoding="utf-8", errors="replace").read() for path in
              sorted(glob.glob(os.path.join(SOURCE, "tests/golden/*/stdout"))) + sys.argv[3:]]
    for text in [*golden, *asked()]:
        for document in documents(text):
            name = document.get("schema", "") if isinstance(document, dict) else ""
            if not isinstance(name, str) or not name.startswith("kvbudget.") or name.startswith("kvbudget.error"):
                continue
            command = name[len("kvbudget."):].split("/")[0]
            if command not in validators:
                validators[command] = schema_of(command)
            count += 1
            for error in list(validators[command].iter_errors(document))[:1]:
                failed += 1
                deepest = max([error, *(error.context or [])], key=lambda each: len(each.absolute_path))
                print(f"{name}: {'.'.join(map(str, deepest.absolute_path))}: {deepest.message[:200]}")
    request = schema_of("request")
    for each in requests():
        count += 1
        failed += not request.is_valid(each)
    assert not request.is_valid({"command": "manual"}) and not request.is_valid({"enforce_eager": "x"})
    print(f"{count} documents held against {len(validators)} schemas and that of requests, {failed} are not as they say")
    return 1 if failed or count < 150 or len(validators) < 9 else 0


sys.exit(main())
