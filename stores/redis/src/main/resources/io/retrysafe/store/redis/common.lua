-- Before every script. KEYS[1] is the entry, a hash; KEYS[2] the index of unsettled entries beside it.
-- Times are microseconds of the server's clock. Doubles hold them exactly until the year 2255, but are
-- written with an exponent unless told otherwise.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

local RUNNING, RESUMABLE, UNKNOWN, COMPLETED, FAILED, FREED = '0', '1', '2', '3', '4', '5'
local FREED_FOR = 60000000

local function digits(number)
  return string.format('%.0f', number)
end

-- The server removes the entry no earlier than it is over.
local function expire(at)
  redis.call('PEXPIREAT', KEYS[1], digits(math.ceil(at / 1000)))
end

local function is_settled(phase)
  return phase == COMPLETED or phase == FAILED
end

-- Tells whoever waits in other processes. It must not fail here, after the writes: they cannot be undone.
local function wake(how)
  if how ~= '' then
    redis.pcall(how, KEYS[1], '')
  end
end
