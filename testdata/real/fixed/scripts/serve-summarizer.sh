#!/usr/bin/env bash
# Meeting summaries on the workstation in the board room.
# Started by hand:  ./serve-summarizer.sh [port]
set -euo pipefail

PORT="${1:-8001}"
export HF_HOME=/srv/models
export VLLM_LOGGING_LEVEL=INFO

exec vllm serve Qwen/Qwen3-14B \
  --served-model-name summarizer \
  --host 127.0.0.1 --port "$PORT" \
  --max-model-len 32768 \
  --gpu-memory-utilization 0.90
