-- Before every script. Times are microseconds of the server's clock. Doubles hold them exactly until the year
-- 2255, but are written with an exponent unless told otherwise.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

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

-- Tells whoever waits in other processes. It must not fail here, after the writes: they cannot be undone.
local function wake(how, key)
  if how ~= '' then
    redis.pcall(how, key, '')
  end
end
