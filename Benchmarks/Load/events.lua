-- The wrk script. The environment says what to send: EVENTS (a request), POPULATION, INSTALLATIONS, INSTALLATION_TAIL.
-- With GENERATOR_ALONE=<requests> it sends nothing: it prints what making that many requests costs, or with
-- GENERATOR_DUMP=<requests> their bodies, a line each.

local folder = debug.getinfo(1, "S").source:match("^@(.*)/[^/]*$") or "."
local generator = dofile(folder .. "/generator.lua")

local function new_generator()
  return generator {
    events = tonumber(os.getenv("EVENTS") or 50),
    population = os.getenv("POPULATION") or "returning",
    installations = tonumber(os.getenv("INSTALLATIONS") or 20000),
    installation_tail = os.getenv("INSTALLATION_TAIL") or "-1b2c-4d3e-8f40-516273849506",
    head = function(length)
      return string.format("POST /v1/analytics/events HTTP/1.1\r\nHost: %s:%s\r\n"
        .. "Content-Type: application/json\r\nContent-Length: %d\r\n\r\n", wrk.host, wrk.port, length)
    end,
  }
end

-- In each of wrk's threads.
function init(args)
  request = new_generator()
end

-- One line of results, tab separated: requests, microseconds, then latencies in microseconds, then errors.
function done(summary, latency, requests)
  local errors = summary.errors
  print(table.concat({ "result", summary.requests, summary.duration,
    latency:percentile(50), latency:percentile(99), latency.max,
    errors.status, errors.connect + errors.read + errors.write, errors.timeout }, "\t"))
end

local alone, dump = tonumber(os.getenv("GENERATOR_ALONE")), tonumber(os.getenv("GENERATOR_DUMP"))
if alone then
  local next_request, body_bytes = new_generator()
  local bytes = 0
  for _ = 1, alone / 10 do bytes = bytes + #next_request() end -- compiles
  local start = os.clock()
  for _ = 1, alone do bytes = bytes + #next_request() end
  local nanoseconds = (os.clock() - start) * 1e9
  print(string.format("alone\t%.0f\t%.1f\t%.0f", nanoseconds / alone,
    nanoseconds / alone / tonumber(os.getenv("EVENTS") or 50), body_bytes))
  os.exit(0)
elseif dump then
  local next_request = new_generator()
  for _ = 1, dump do io.write(next_request():match("\r\n\r\n(.*)$"), "\n") end
  io.flush()
  os.exit(0)
end
