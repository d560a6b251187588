#!/bin/sh
# The gateway of the lab machine. One process, no database, keys only for the two of us.
# The engines are systemd units on the same host (systemd/).
set -eu
cd "$(dirname "$0")"

: "${LITELLM_MASTER_KEY:?export it first}"

# docker run ... ghcr.io/berriai/litellm:main-latest --num_workers 8   <- how it used to be
docker rm -f litellm >/dev/null 2>&1 || true
docker run -d --name litellm --restart unless-stopped \
  --network host \
  --stop-timeout 660 \
  --memory 4g \
  -e LITELLM_MASTER_KEY \
  -e OPENROUTER_API_KEY \
  --env-file gateway.env \
  -v "$PWD/config.yaml:/app/config.yaml:ro" \
  -v "$PWD/models:/app/models:ro" \
  ghcr.io/berriai/litellm:v1.102.4 \
  --config /app/config.yaml --host 127.0.0.1 --port 4000

echo "up; watch vllm:kv_cache_usage_perc (not vllm:gpu_cache_usage_perc any more)"
