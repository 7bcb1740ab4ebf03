-- Precedes the scripts on entries. Times are microseconds of the server's clock. Doubles hold them exactly until the year
-- 2255, but Lua writes them with an exponent unless they are formatted.
local time = redis.call('TIME')
local now = time[1] * 1000000 + time[2]

-- A call has two keys, the entry and its index.
local WIDTH = 2

local RUNNING, RESUMABLE, UNKNOWN, COMPLETED, FAILED, FREED = 0, 1, 2, 3, 4, 5
local FREED_FOR = 60000000

-- The layout of the field "entry": phase, phase before a takeover, token, attempt, fence, first claim, end of the lease, end
-- of the entry; from IDENTITY on fingerprint and key, which never change. One field costs the server less memory than many.
local HEAD = '>BBc16I4dddd'
local IDENTITY = 55

-- Returns the member of the index that belongs to an entry.
local function member(key)
  return string.sub(key, -32)
end

-- Lets the server remove an entry, not earlier than its end.
local function expire(key, over)
  redis.call('PEXPIREAT', key, string.format('%.0f', math.ceil(over / 1000)))
end

-- A full server refuses only the first write of a script. This write changes nothing, is never refused, and fails if the
-- index has another type. After it, the steps of running operations can write although the server is full.
local function begin(index)
  redis.call('ZREM', index, '')
end

-- Returns the answer that shows an entry, {0, entry, outcome, now}, and the size of the outcome. If the outcome exceeds the
-- limit, returns {'large', size} instead.
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

-- Wakes waiting callers in other processes. It must not fail, because the writes before it cannot be undone.
local function wake(how, key)
  if how ~= '' then
    redis.pcall(how, key, '')
  end
end
