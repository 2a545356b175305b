"""The Python package against the tool itself: the same question gives the same document. KVBUDGET_TOOL names the tool."""

import json
import os
import subprocess
import sys
import threading
import unittest

import kvbudget

TOP = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
TOOL = os.environ["KVBUDGET_TOOL"]


def printed(*words: str) -> dict:
    result = subprocess.run([TOOL, *words], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, cwd=TOP, check=False)
    return json.loads(result.stdout)


class SameDocuments(unittest.TestCase):
    def test_plan(self) -> None:
        wanted = printed("plan", "--json", "--model", "Qwen/Qwen3-8B", "--gpu", "l4", "--max-model-len", "4096")
        got = kvbudget.plan("Qwen/Qwen3-8B", gpu="l4", max_model_len=4096)
        self.assertEqual(got, wanted)

    def test_ways_to_ask(self) -> None:
        settings = {"max_model_len": 4096, "enforce_eager": True}
        flags = kvbudget.plan("Qwen/Qwen3-8B", gpu="l4", **settings)["budget"]
        line = "vllm serve Qwen/Qwen3-8B --max-model-len 4096 --enforce-eager"
        deployment = {"name": "d", "model": "Qwen/Qwen3-8B", "gpu": "l4", "settings": settings}
        self.assertEqual(kvbudget.plan(line=line, gpu="l4")["budget"], flags)
        self.assertEqual(kvbudget.plan(line=line.split(), gpu="l4")["budget"], flags)
        self.assertEqual(kvbudget.plan(deployment=deployment)["budget"], flags)

    def test_explain(self) -> None:
        path = os.path.join("tests", "fixtures", "logs", "need.log")
        wanted = printed("explain", "--json", path)
        with open(os.path.join(TOP, path), encoding="utf-8") as file:
            self.assertEqual(kvbudget.explain(file.read())["failure"], wanted["failure"])

    def test_check(self) -> None:
        path = os.path.join(TOP, "tests", "fixtures", "manifests", "gate")
        self.assertEqual(kvbudget.check(path)["cases"], printed("check", "--json", path)["cases"])

    def test_sweep(self) -> None:
        rows = list(kvbudget.sweep(model="Qwen/Qwen3-8B", gpu=["l4", "l40s"], max_model_len=[4096, 8192]))
        self.assertEqual(len(rows), 4)
        for row in rows:
            self.assertEqual(row["plan"], kvbudget.plan(**row["varied"]))


class Refusals(unittest.TestCase):
    def refused(self, request: object) -> kvbudget.Error:
        with self.assertRaises(kvbudget.Error) as caught:
            kvbudget.ask(request)
        return caught.exception

    def test_places(self) -> None:
        error = self.refused({"deployment": {"name": "x", "modl": "y"}})
        self.assertIn("unknown key 'modl'", str(error))
        self.assertEqual(error.problems[0]["file"], "deployment.yaml")

    def test_sentences(self) -> None:
        self.assertEqual(str(self.refused([1])), "request:1:1: request: expected an object")
        self.assertIn("unknown flag '--comand'", str(self.refused({"comand": "plan"})))
        self.assertIn("writes no file", str(self.refused({"model": "Qwen/Qwen3-8B", "append": "x.csv"})))
        self.assertIn("expected a command", str(self.refused({"command": "completion"})))
        self.assertIn("one of deployment, line and log", str(self.refused({"line": "a", "deployment": {"name": "x"}})))


class Threads(unittest.TestCase):
    def test_side_by_side(self) -> None:
        wanted = kvbudget.plan("Qwen/Qwen3-8B", gpu="l4")
        wrong = []

        def work() -> None:
            for _ in range(20):
                if kvbudget.plan("Qwen/Qwen3-8B", gpu="l4") != wanted:
                    wrong.append(1)

        threads = [threading.Thread(target=work) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Protocol(unittest.TestCase):
    def talk(self, *messages: object) -> list:
        text = "".join((m if isinstance(m, str) else json.dumps(m)) + "\n" for m in messages)
        result = subprocess.run([sys.executable, "-m", "kvbudget.mcp"], input=text, stdout=subprocess.PIPE, text=True, check=True)
        return [json.loads(line) for line in result.stdout.splitlines()]

    def test_a_client(self) -> None:
        arguments = {"model": "Qwen/Qwen3-8B", "gpu": "l4", "max_model_len": 4096}
        begun, listed, called, wrong, unknown, broken = self.talk(
            {"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {}},
            {"jsonrpc": "2.0", "method": "notifications/initialized"},
            {"jsonrpc": "2.0", "id": 2, "method": "tools/list"},
            {"jsonrpc": "2.0", "id": 3, "method": "tools/call", "params": {"name": "plan", "arguments": arguments}},
            {"jsonrpc": "2.0", "id": 4, "method": "tools/call", "params": {"name": "plan", "arguments": {"gpu": "h1000"}}},
            {"jsonrpc": "2.0", "id": 5, "method": "nothing"},
            "{",
        )
        self.assertEqual(begun["result"]["serverInfo"]["version"], kvbudget.version())
        self.assertEqual([tool["name"] for tool in listed["result"]["tools"]], ["plan", "explain", "check"])
        self.assertEqual(json.loads(called["result"]["content"][0]["text"]), kvbudget.plan(**arguments))
        self.assertTrue(wrong["result"]["isError"])
        self.assertEqual(unknown["error"]["code"], -32601)
        self.assertEqual(broken["error"]["code"], -32700)


if __name__ == "__main__":
    unittest.main()
