-- Requests with unique events, as cheap as LuaJIT makes them: the load generator shares the cores with the server.
--
-- A pool of complete requests is written once. After that a request is one of the pool with its fixed-width slots
-- overwritten in place: the installation, and of every event the first eight digits of its id and the seconds of
-- `occurredAt`. Ids are unique by construction: xorshift32 visits every value but 0 once in 2^32 steps, and the digits
-- behind are random for every generator (one a thread and run).

local ffi, bit = require("ffi"), require("bit")
local band, bxor, lshift, rshift, tobit = bit.band, bit.bxor, bit.lshift, bit.rshift, bit.tobit

local int32_pointer = ffi.typeof("int32_t *")
local MINUTE, SPREAD = 60, 48 * 3600
local POOL_EVENTS, POOL_REQUESTS_AT_LEAST = 640, 16

-- Members in the client's order: sorted keys.
local MEMBERS = {
  "acquisitionChannel", "appVersion", "clientEventId", "durationBucket", "eventType", "executionMode",
  "failureCategory", "feature", "occurredAt", "osVersion", "surface",
}

-- How often an event type is sent, in 1/200, with the values that each of its dimensions may take. FIRST_OPEN isn't
-- among them: it may occur only once in an installation's life.
local DECK = {
  { 20, "SESSION_STARTED", { surface = { "APP" } } },
  { 44, "SESSION_STARTED", { surface = { "KEYBOARD" } } },
  { 36, "KEYBOARD_ACTIVATED", { surface = { "KEYBOARD" } } },
  { 42, "AI_FEATURE_STARTED", { surface = { "KEYBOARD", "KEYBOARD", "APP" }, feature = true, executionMode = true } },
  { 34, "AI_FEATURE_SUCCEEDED",
    { surface = { "KEYBOARD", "KEYBOARD", "APP" }, feature = true, executionMode = true, durationBucket = true } },
  { 3, "AI_FEATURE_FAILED", { surface = { "KEYBOARD", "APP" }, feature = true, executionMode = true,
    failureCategory = true } },
  { 5, "AI_FEATURE_FAILED", { surface = { "KEYBOARD", "APP" }, feature = true, executionMode = true,
    failureCategory = true, durationBucket = true } },
  { 7, "PURCHASE_VIEWED", { surface = { "APP" } } },
  { 3, "PURCHASE_STARTED", { surface = { "APP" } } },
  { 2, "PURCHASE_CANCELLED", { surface = { "APP" }, failureCategory = { "CANCELLED" } } },
  { 2, "REFERRAL_SHARED", { surface = { "APP" } } },
  { 2, "INVITE_OPENED", { surface = { "INVITE_WEB" }, acquisitionChannel = { "REFERRAL" } } },
}
local FIRST_OPEN = { 0, "FIRST_OPEN", { surface = { "APP" }, acquisitionChannel = true } }

local VALUES = {
  acquisitionChannel = { "APP_STORE_ORGANIC", "APP_STORE_ORGANIC", "REFERRAL", "SOCIAL_CONTENT", "UNKNOWN" },
  appVersion = { "2.1.0", "2.1.0", "2.1.0", "2.1.0", "2.0.1", "2.0.0", "unknown" },
  durationBucket = { "LT_1S", "S1_TO_3", "S1_TO_3", "S3_TO_10", "S10_TO_30", "GTE_30S" },
  executionMode = { "MANAGED", "MANAGED", "LOCAL", "BYOK" },
  failureCategory = {
    "NETWORK", "NETWORK", "PROVIDER", "TIMEOUT", "CANCELLED", "INSUFFICIENT_CREDITS", "VALIDATION", "UNKNOWN" },
  feature = { "TRANSCRIPTION", "TRANSCRIPTION", "POLISH", "POLISH", "AI_ASSISTANT", "AGENT", "HOTWORD", "OTHER" },
  osVersion = { "26.1", "26.1", "26.1", "26.0.1", "26.0", "18.7.2", "unknown" },
}

-- The four hexadecimal digits of every 16-bit number, as the four bytes to store.
local function hexadecimal_table(format)
  local digits = ffi.new("int32_t[65536]")
  for number = 0, 65535 do ffi.copy(digits + number, string.format(format, number), 4) end
  return digits
end

-- "05.123Z", and the quote behind it, split into two words; a power of two of them.
local function seconds_tables(random)
  local first, second = ffi.new("int32_t[1024]"), ffi.new("int32_t[1024]")
  for i = 0, 1023 do
    local text = string.format('%02d.%03dZ"', random(60), random(1000))
    ffi.copy(first + i, text:sub(1, 4), 4)
    ffi.copy(second + i, text:sub(5, 8), 4)
  end
  return first, second
end

-- The pool's shapes are the same in every run, so that runs compare: a linear congruence with a fixed start.
local function repeatable_random(seed)
  return function(bound)
    seed = (seed * 1103515245 + 12345) % 2147483648
    return math.floor(seed / 65536) % bound
  end
end

local function random_bytes(count)
  local source = assert(io.open("/dev/urandom", "rb"))
  source:setvbuf("no")
  local bytes = source:read(count)
  source:close()
  return bytes
end

local function random_word()
  local a, b, c, d = random_bytes(4):byte(1, 4)
  local word = tobit(a * 16777216 + b * 65536 + c * 256 + d)
  return word ~= 0 and word or 1
end

-- The 28 characters of a random (version 4) UUID that follow its first eight.
local function random_tail(format)
  local b = { random_bytes(12):byte(1, 12) }
  b[3], b[5] = 0x40 + b[3] % 16, 0x80 + b[5] % 64
  return (string.format("-%02x%02x-%02x%02x-%02x%02x-%02x%02x%02x%02x%02x%02x", unpack(b))):gsub("%x+", format)
end

local function shuffled_deck(random)
  local deck = {}
  for _, card in ipairs(DECK) do
    for _ = 1, card[1] do deck[#deck + 1] = card end
  end
  for i = #deck, 2, -1 do
    local j = random(i) + 1
    deck[i], deck[j] = deck[j], deck[i]
  end
  return deck
end

-- One event's text with the offsets (from its first byte) of the id and of the seconds.
local function write_event(card, versions, minute, tail, random)
  local values = { eventType = card[2], clientEventId = "00000000" .. tail,
    occurredAt = os.date("!%Y-%m-%dT%H:%M:00.000Z", minute),
    appVersion = versions.app, osVersion = versions.os }
  for dimension, allowed in pairs(card[3]) do
    if allowed == true then allowed = VALUES[dimension] end
    values[dimension] = allowed[random(#allowed) + 1]
  end
  local text, id_offset, seconds_offset = "{", nil, nil
  for _, name in ipairs(MEMBERS) do
    if values[name] then
      text = text .. (#text > 1 and "," or "") .. '"' .. name .. '":"'
      if name == "clientEventId" then id_offset = #text end
      if name == "occurredAt" then seconds_offset = #text + 17 end
      text = text .. values[name] .. '"'
    end
  end
  return text .. "}", id_offset, seconds_offset
end

-- options.events            events a request, 1 to 50
-- options.population        "returning": each request is of a random one of options.installations;
--                           "new": each request is an installation of its own, and begins with its FIRST_OPEN
-- options.installation_tail 28 characters that all returning installations of a run share, or nil
-- options.head              function(length of the body) → request line and headers, empty line included
-- Returns next_request() → text, and the mean length of a body in bytes.
return function(options)
  local count, returning = options.events, options.population == "returning"
  local random = repeatable_random(20251130)
  local upper, lower = hexadecimal_table("%04X"), hexadecimal_table("%04x")
  local seconds_first, seconds_second = seconds_tables(random)
  local event_tail = random_tail(string.upper)
  local root_tail = returning and options.installation_tail or random_tail(string.lower)
  local latest = math.floor(os.time() / MINUTE) * MINUTE - MINUTE

  local deck, dealt = shuffled_deck(random), 0
  local pool_size = math.max(POOL_REQUESTS_AT_LEAST, math.ceil(POOL_EVENTS / count))
  local pool, lengths, roots, slots = {}, {}, {}, {}
  local body_bytes = 0
  for entry = 1, pool_size do
    local versions = { app = VALUES.appVersion[random(#VALUES.appVersion) + 1],
      os = VALUES.osVersion[random(#VALUES.osVersion) + 1] }
    local minutes = {}
    for i = 1, count do minutes[i] = latest - random(SPREAD / MINUTE) * MINUTE end
    table.sort(minutes) -- the client's queue is in the order of time

    local body = '{"installationId":"00000000' .. root_tail .. '","events":['
    local offsets = ffi.new("int32_t[?]", 2 * count)
    for i = 1, count do
      dealt = dealt % #deck + 1
      local card = (i == 1 and not returning) and FIRST_OPEN or deck[dealt]
      local text, id_offset, seconds_offset = write_event(card, versions, minutes[i], event_tail, random)
      if i > 1 then body = body .. "," end
      offsets[2 * i - 2], offsets[2 * i - 1] = #body + id_offset, #body + seconds_offset
      body = body .. text
    end
    body = body .. "]}"

    local head = options.head(#body)
    for i = 0, 2 * count - 1 do offsets[i] = offsets[i] + #head end
    lengths[entry] = #head + #body
    pool[entry] = ffi.new("char[?]", lengths[entry])
    ffi.copy(pool[entry], head .. body, lengths[entry])
    roots[entry], slots[entry] = #head + #'{"installationId":"', offsets
    body_bytes = body_bytes + #body / pool_size
  end

  local event, installation = random_word(), random_word()
  local installations, position = options.installations, 0

  local function next_request()
    position = position % pool_size + 1
    local text, offsets = pool[position], slots[position]

    installation = bxor(installation, lshift(installation, 13))
    installation = bxor(installation, rshift(installation, 17))
    installation = bxor(installation, lshift(installation, 5))
    local head = installation
    if returning then -- an odd factor maps the installation's number to digits one to one
      head = tobit(band(installation, 0x7fffffff) % installations * 2654435761)
    end
    local slot = ffi.cast(int32_pointer, text + roots[position])
    slot[0], slot[1] = lower[rshift(head, 16)], lower[band(head, 0xffff)]

    for i = 0, 2 * count - 2, 2 do
      event = bxor(event, lshift(event, 13))
      event = bxor(event, rshift(event, 17))
      event = bxor(event, lshift(event, 5))
      slot = ffi.cast(int32_pointer, text + offsets[i])
      slot[0], slot[1] = upper[rshift(event, 16)], upper[band(event, 0xffff)]
      slot = ffi.cast(int32_pointer, text + offsets[i + 1])
      local seconds = band(event, 1023)
      slot[0], slot[1] = seconds_first[seconds], seconds_second[seconds]
    end
    return ffi.string(text, lengths[position])
  end
  return next_request, body_bytes
end
