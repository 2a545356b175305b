// A model that is not built in: its public config, fetched only when the user presses the button.
"use strict";
const hub = (() => {
  const HUB = "https://huggingface.co/";
  const WANTED = ["config.json", "model.safetensors.index.json", "hf_quant_config.json", "adapter_config.json"];
  const LIMIT = 16 << 20;

  async function text(address) {
    const answer = await fetch(address, { credentials: "omit", referrerPolicy: "no-referrer" });
    if (answer.status === 404) return null;
    if (!answer.ok) throw new Error(answer.status === 401 || answer.status === 403 ? "the model is gated or not public" : `the hub answers ${answer.status}`);
    const said = await answer.text();
    if (said.length > LIMIT) throw new Error("the file is larger than a config is");
    return said;
  }

  // {file: text} of what the hub has.
  async function files(name) {
    if (!/^[\w.-]+\/[\w.-]+$/.test(name)) throw new Error("a name on the hub is OWNER/NAME");
    const found = {};
    for (const file of WANTED) {
      const said = await text(`${HUB}${name}/resolve/main/${file}`);
      if (said !== null) found[file] = said;
    }
    if (!found["config.json"] && !found["adapter_config.json"]) throw new Error("the hub has no config.json under this name");
    return found;
  }

  return { files };
})();
