#!/bin/sh
# A training step that check finds in a framework's own file is the one that plan answers for the same values in a
# profile: the same budget, the same phases, the same verdict.
#   training.sh TOOL
set -eu
tool=$1
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
failed=0
complain() {
    echo "$1" >&2
    failed=1
}

# One member of a JSON document, without its indentation, and without what says where a value came from.
member() { # NAME FILE
    awk -v name="\"$1\": {" '
        index($0, name) && !inside { inside = 1; match($0, /^ */); depth = RLENGTH; next }
        inside { match($0, /^ */); if (RLENGTH <= depth) exit; sub(/^ */, ""); print }' "$2"
}
same() { # NAME PROFILE FILE
    "$tool" plan "$2" --json >"$work/plan" 2>"$work/err" || [ $? = 1 ] || complain "$1: $(cat "$work/err")"
    "$tool" check --gpu a100-sxm-80 --json "$3" >"$work/check" 2>"$work/err" || [ $? = 1 ] || complain "$1: $(cat "$work/err")"
    for part in budget kv_cache residents; do
        member $part "$work/plan" | grep -v '"name": ' >"$work/a"
        member $part "$work/check" | grep -v '"name": ' >"$work/b"
        [ -s "$work/a" ] || complain "$1: plan says nothing of $part"
        diff "$work/a" "$work/b" >"$work/diff" || complain "$1: $part differs: $(head -n 20 "$work/diff")"
    done
    [ "$(grep -m 1 -c '^  "verdict": "does_not_fit"' "$work/plan")" = "$(grep -m 1 -c '"verdict": "fail"' "$work/check")" ] ||
        complain "$1: the verdicts differ"
}

# ---- verl, as a file and as a command line

cat >"$work/verl.yaml" <<'Y'
data: {max_prompt_length: 1024, max_response_length: 3072}
actor_rollout_ref:
  model: {path: Qwen/Qwen2.5-7B-Instruct}
  actor: {use_kl_loss: true, ppo_max_token_len_per_gpu: 24576}
  rollout: {name: vllm, gpu_memory_utilization: 0.6, tensor_model_parallel_size: 2}
trainer: {n_gpus_per_node: 8}
Y
profile() { # FRAMEWORK SLEEPS CONFIG... on standard input
    printf 'kind: deployment\nschema: 1\nname: %s\nmodel: Qwen/Qwen2.5-7B-Instruct\ngpu: a100-sxm-80\nusage: offline\n' "$2"
    printf 'settings: {enable_sleep_mode: %s}\n' "$3"
    printf 'residents:\n  - kind: trainer\n    name: %s\n    framework: %s\n' "$1" "$1"
    cat
}
{
    echo '    config:'
    sed 's/^/      /' "$work/verl.yaml"
} | profile verl actor_rollout_ref.rollout true >"$work/verl-profile.yaml"
same "verl's file" "$work/verl-profile.yaml" "$work/verl.yaml"
cat >"$work/verl.sh" <<'Y'
python3 -m verl.trainer.main_ppo data.max_prompt_length=1024 data.max_response_length=3072 \
    actor_rollout_ref.model.path=Qwen/Qwen2.5-7B-Instruct actor_rollout_ref.actor.use_kl_loss=True \
    actor_rollout_ref.actor.ppo_max_token_len_per_gpu=24576 actor_rollout_ref.rollout.name=vllm \
    actor_rollout_ref.rollout.gpu_memory_utilization=0.6 actor_rollout_ref.rollout.tensor_model_parallel_size=2 \
    trainer.n_gpus_per_node=8
Y
same "verl's command line" "$work/verl-profile.yaml" "$work/verl.sh"
# A rollout that leaves the update no room fails in both.
sed 's/gpu_memory_utilization: 0.6/gpu_memory_utilization: 0.9, free_cache_engine: false/' "$work/verl.yaml" >"$work/full.yaml"
sed -e 's/gpu_memory_utilization: 0.6/gpu_memory_utilization: 0.9, free_cache_engine: false/' \
    -e 's/enable_sleep_mode: true/enable_sleep_mode: false/' "$work/verl-profile.yaml" >"$work/full-profile.yaml"
same "verl, too full" "$work/full-profile.yaml" "$work/full.yaml"
grep -q "a training step does not fit: its phase '" "$work/check" || complain "the phase is not named: $(cat "$work/check")"

# ---- OpenRLHF with all models on the same GPUs

cat >"$work/openrlhf.sh" <<'Y'
python3 -m openrlhf.cli.train_ppo_ray --pretrain Qwen/Qwen2.5-7B-Instruct --actor_num_nodes 1 --actor_num_gpus_per_node 8 \
    --colocate_all_models --vllm_num_engines 4 --vllm_tensor_parallel_size 2 --vllm_gpu_memory_utilization 0.5 \
    --vllm_enable_sleep --zero_stage 3 --adam_offload --prompt_max_len 1024 --generate_max_len 2048 \
    --micro_train_batch_size 2 --gradient_checkpointing
Y
profile openrlhf rollout true >"$work/openrlhf.yaml" <<'Y'
    config: {actor_num_nodes: 1, actor_num_gpus_per_node: 8, vllm_tensor_parallel_size: 2, vllm_gpu_memory_utilization: 0.5,
      vllm_enable_sleep: true, zero_stage: 3, adam_offload: true, prompt_max_len: 1024, generate_max_len: 2048,
      micro_train_batch_size: 2, gradient_checkpointing: true}
Y
same OpenRLHF "$work/openrlhf.yaml" "$work/openrlhf.sh"

# ---- TRL: the launcher says what shards it

cat >"$work/trl.sh" <<'Y'
accelerate launch --config_file accelerate_configs/zero3.yaml --num_processes 8 grpo.py \
    --model_name_or_path Qwen/Qwen2.5-7B-Instruct --use_vllm --vllm_mode colocate --vllm_gpu_memory_utilization 0.4 \
    --vllm_enable_sleep_mode --bf16 --gradient_checkpointing true --max_prompt_length 512 --max_completion_length 1024
Y
profile trl rollout true >"$work/trl.yaml" <<'Y'
    sharding: zero3
    gpus: 8
    config: {vllm_gpu_memory_utilization: 0.4, vllm_enable_sleep_mode: true, bf16: true, gradient_checkpointing: true,
      max_prompt_length: 512, max_completion_length: 1024}
Y
same TRL "$work/trl.yaml" "$work/trl.sh"

# ---- our own profile, whose residents decide in check as they do in plan

sed 's/a100-sxm-80/a100-sxm-80/' "$work/full-profile.yaml" >"$work/own.yaml"
same "a profile" "$work/own.yaml" "$work/own.yaml"
grep -q '"verdict": "fail"' "$work/check" || complain "the residents of a profile do not decide"
exit $failed
