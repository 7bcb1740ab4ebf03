-- KEYS: the hash of secrets. ARGV: a name and a value. Answers the first value that was stored under the name.
local FIXED, WIDTH = 0, 1

local function step(key, _, at)
  local kept = redis.call('HGET', key, ARGV[at])
  if not kept then
    redis.call('HSET', key, ARGV[at], ARGV[at + 1])
    kept = ARGV[at + 1]
  end
  return kept
end
