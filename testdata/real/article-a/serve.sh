vllm serve Qwen/Qwen3-Coder-30B \
  --tensor-parallel-size 2 \
  --max-model-len 131072 \
  --kv-cache-dtype fp8 \
  --long-prefill-token-threshold 512 \
  --max-num-queued-reqs 64 \
  --gpu-memory-utilization 0.90
