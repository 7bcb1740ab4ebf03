-- ARGV: the command to publish with, or ''; for each entry token, phase, outcome, retention.
local FIXED = 1

local function step(key, index, at)
  local found = redis.call('HGET', key, 'entry')
  if not found then
    return 0
  end
  local phase, previous, token, attempt, fence, created, lease, over = struct.unpack(HEAD, found)
  if phase == FREED or token ~= ARGV[at] or over <= now then
    return 0
  end
  if phase == COMPLETED or phase == FAILED then
    return 1
  end
  -- First, because a full server never refuses it: running operations can still settle.
  redis.call('ZREM', index, member(key))
  phase, lease, over = tonumber(ARGV[at + 1]), math.min(lease, now), now + ARGV[at + 3]
  redis.call('HSET', key, 'outcome', ARGV[at + 2], 'entry',
    struct.pack(HEAD, phase, previous, token, attempt, fence, created, lease, over) .. string.sub(found, IDENTITY))
  expire(key, over)
  wake(ARGV[1], key)
  return 1
end
