#!/usr/bin/env bash
# The nodes of Tools/cluster, which sources this file: their folders, ports and processes.
# shellcheck disable=SC2154  # `data` and `house_root` are the caller's.
set -euo pipefail

node_count=0
node_processes=()
node_ports=()
readonly node_seconds_max=60

node_data() { printf '%s/node-%s' "$data" "$1"; }
node_url() { printf 'http://127.0.0.1:%s' "${node_ports[$1 - 1]}"; }

# Prints the nodes' addresses, with commas between them.
node_urls() {
    local index urls=()
    for ((index = 1; index <= node_count; index++)); do urls+=("$(node_url "$index")"); done
    (IFS=, && printf '%s' "${urls[*]-}")
}

# Makes a folder for each node, if there are none yet: the first by a short start, the others from its backup, as an operator would.
make_node_folders() {
    local index first backup binaries
    [[ ! -d $(node_data 1) ]] || return 0
    first=$(node_data 1)
    binaries=$(release_binaries)
    start_node "$first" 0 >/dev/null
    end_nodes
    "$binaries/greentea-audit" backup --data "$first" --in "$data/backups" --keys "$data/keys" >/dev/null
    backup=$(find "$data/backups" -mindepth 1 -maxdepth 1 -type d -not -name '.*' | head -n 1)
    for ((index = 2; index <= node_count; index++)); do
        "$binaries/greentea-audit" restore --from "$backup" --keys "$data/keys" --data "$(node_data "$index")" >/dev/null
        install -m 600 "$first/master.key" "$(node_data "$index")/master.key"
    done
    "$binaries/greentea" cluster init --data "$first" --cluster "$(endpoints)" --node tea-1
}

# start_node FOLDER PORT [OPTION]...: starts a server, and waits until it is ready.
start_node() {
    local folder=$1 port=$2 log="$1.log" since
    shift 2
    : >"$log"
    "$(release_binaries)/greentea" serve --dev --data "$folder" --listen "127.0.0.1:$port" "$@" >>"$log" 2>&1 &
    node_processes+=($!)
    since=$(uptime_seconds)
    until grep -q '^greentea ready on ' "$log"; do
        if ! kill -0 "${node_processes[-1]}" 2>/dev/null; then
            tail -n 5 "$log" >&2
            refuse "a node did not start; the last lines of $log are above"
        fi
        [[ $(seconds_since "$since") -lt $node_seconds_max ]] || refuse "no node was ready after $node_seconds_max seconds; see $log"
        sleep 0.1
    done
}

start_nodes() {
    local index since
    read -r -a node_ports <<<"$(free_ports "$node_count")"
    for ((index = 1; index <= node_count; index++)); do
        start_node "$(node_data "$index")" "${node_ports[index - 1]}" --cluster "$(endpoints)" --node "tea-$index"
    done
    since=$(uptime_seconds)
    until status_of_nodes >/dev/null 2>&1; do
        [[ $(seconds_since "$since") -lt $node_seconds_max ]] || refuse "no node writes after $node_seconds_max seconds; see $data"
        sleep 0.2
    done
    status_of_nodes
}

status_of_nodes() { "$(release_binaries)/greentea" cluster status --data "$(node_data 1)" --cluster "$(endpoints)" --node tea-1; }

# Ends the nodes with SIGTERM, as an operator would.
end_nodes() {
    [[ ${#node_processes[@]} -gt 0 ]] || return 0
    kill -TERM "${node_processes[@]}" 2>/dev/null || true
    wait "${node_processes[@]}" 2>/dev/null || true
    node_processes=()
}
