-- ARGV: unsettled retention, the command to publish with, or ''; for each entry token and next phase.
local FIXED = 2

local function step(key, index, at)
  local found = redis.call('HGET', key, 'entry')
  if not found then
    return 0
  end
  local phase, previous, token, attempt, fence, created, lease, over = struct.unpack(HEAD, found)
  local next = tonumber(ARGV[at + 1])
  if token ~= ARGV[at] then
    return 0
  end
  if phase == FREED then
    return next == FREED and 1 or 0
  end
  if phase == COMPLETED or phase == FAILED or over <= now then
    return 0
  end
  if next == FREED then
    if previous ~= 0 then
      next = previous
    elseif redis.call('HEXISTS', key, 'steps') == 1 then
      next = RESUMABLE
    end
  end
  if next == FREED then
    redis.call('ZREM', index, member(key))
  else
    begin(index)
    redis.call('ZADD', index, created, member(key))
  end
  lease, over = math.min(lease, now), now + (next == FREED and FREED_FOR or ARGV[1])
  redis.call('HSET', key, 'entry',
    struct.pack(HEAD, next, previous, token, attempt, fence, created, lease, over) .. string.sub(found, IDENTITY))
  expire(key, over)
  wake(ARGV[2], key)
  return 1
end
