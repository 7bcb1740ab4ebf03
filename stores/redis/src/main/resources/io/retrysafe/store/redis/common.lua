-- Before every script. KEYS[1] is the entry, a hash; KEYS[2] the index of unsettled entries beside it.
-- Times are microseconds of the server's clock. Doubles hold them exactly until the year 2255, but are
-- written with an exponent unless told otherwise.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local RUNNING, RESUMABLE, UNKNOWN, COMPLETED, FAILED, FREED = 0, 1, 2, 3, 4, 5
local FREED_FOR = 60000000

local function digits(number)
  return string.format('%.0f', number)
end

local function is_settled(entry)
  return entry.phase == COMPLETED or entry.phase == FAILED
end

-- What is compared and changed is one field: a field of a hash costs the server more than its bytes.
local PACKED = '>BBc16I4ddddI4c0I4c0'

local function unpacked(bytes)
  if not bytes then
    return nil
  end
  local phase, previous, token, attempt, fence, created, lease, over, fingerprint, key = struct.unpack(PACKED, bytes)
  -- Made at once, because a table that grows field by field is made anew again and again.
  return {phase = phase, previous = previous, token = token, attempt = attempt, fence = fence, created = created,
    lease = lease, over = over, fingerprint = fingerprint, key = key}
end

local function packed(e)
  return struct.pack(PACKED, e.phase, e.previous, e.token, e.attempt, e.fence, e.created, e.lease, e.over,
    #e.fingerprint, e.fingerprint, #e.key, e.key)
end

-- The server removes the entry no earlier than it is over.
local function write(e, outcome)
  if outcome then
    redis.call('HSET', KEYS[1], 'entry', packed(e), 'outcome', outcome)
  else
    redis.call('HSET', KEYS[1], 'entry', packed(e))
  end
  redis.call('PEXPIREAT', KEYS[1], digits(math.ceil(e.over / 1000)))
end

-- Tells whoever waits in other processes. It must not fail here, after the writes: they cannot be undone.
local function wake(how)
  if how ~= '' then
    redis.pcall(how, KEYS[1], '')
  end
end
