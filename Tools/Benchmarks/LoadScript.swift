/// What `wrk` runs: each request enters the next code, with a key of its own, as one of the customers. It stops when the codes
/// run out and prints what was answered.
enum LoadScript {
    static let text = """
        wanted, sent, good, bad = 0, 0, 0, 0

        function setup(thread) load = thread end

        function init(arguments) wanted = tonumber(arguments[1]) end

        function request()
            sent = sent + 1
            local code = codes[sent]
            if code == nil then
                wrk.thread:stop()
                code = codes[1]
            end
            local headers = {
                ["Content-Type"] = "application/json",
                ["Authorization"] = "Bearer " .. tokens[sent % #tokens + 1],
                ["Idempotency-Key"] = code .. sent,
            }
            return wrk.format("POST", nil, headers, '{"code":"' .. code .. '"}')
        end

        function response(status, headers, body)
            if sent > #codes then return end
            if status == wanted then good = good + 1 else bad = bad + 1 end
        end

        function done(summary, latency, requests)
            local good, bad = load:get("good"), load:get("bad")
            local p50, p99 = latency:percentile(50), latency:percentile(99)
            local line = '{"good": %d, "bad": %d, "seconds": %f, "p50": %d, "p99": %d}'
            print(string.format(line, good, bad, summary.duration / 1e6, p50, p99))
        end

        """
}
