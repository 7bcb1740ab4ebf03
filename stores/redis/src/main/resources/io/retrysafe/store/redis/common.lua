-- Before every script. Times are microseconds of the server's clock. Doubles hold them exactly until the year
-- 2255, but are written with an exponent unless told otherwise.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- An entry is given as two keys, itself and its index.
local WIDTH = 2

local RUNNING, RESUMABLE, UNKNOWN, COMPLETED, FAILED, FREED = 0, 1, 2, 3, 4, 5
local FREED_FOR = 60000000

-- What is compared and changed is one field, because a field of a hash costs the server more than its bytes:
-- phase, what it was before it was taken over, token, attempt, fence, first claim, end of the lease, end of the
-- entry; from IDENTITY on what never changes, the fingerprint and the key.
local HEAD = '>BBc16I4dddd'
local IDENTITY = 55

-- The member of the index that stands for an entry.
local function member(key)
  return string.sub(key, -32)
end

-- The server removes the entry no earlier than it is over.
local function expire(key, over)
  redis.call('PEXPIREAT', key, string.format('%.0f', math.ceil(over / 1000)))
end

-- Redis looks at its memory when a script starts, and refuses only the first write. This one changes nothing, is never
-- refused, and fails where the index is something else: after it, those who run can write when the server is full.
local function begin(index)
  redis.call('ZREM', index, '')
end

-- The answer that shows an entry: {0, entry, outcome, now}, and the size of the outcome. A larger outcome than asked for
-- is announced only: {'large', size}.
local function held(key, found, phase, largest)
  if phase ~= COMPLETED and phase ~= FAILED then
    return {0, found, '', now}, 0
  end
  local size = redis.call('HSTRLEN', key, 'outcome')
  if size > tonumber(largest) then
    return {'large', size}, 0
  end
  return {0, found, redis.call('HGET', key, 'outcome') or '', now}, size
end

-- Tells whoever waits in other processes. It must not fail here, after the writes: they cannot be undone.
local function wake(how, key)
  if how ~= '' then
    redis.pcall(how, key, '')
  end
end
