-- ARGV: unsettled retention, the command to publish with, or ''; for each entry token of the resolution, token and fence
-- that the operator saw, word; for "done" phase, outcome and retention, else three times ''. Answers APPLIED, CHANGED or LEASED.
local FIXED = 2

local function step(key, index, at)
  local word = ARGV[at + 3]
  local found = redis.call('HGET', key, 'entry')
  if not found then
    return 'CHANGED'
  end
  local phase, previous, token, attempt, fence, created, lease, over = struct.unpack(HEAD, found)
  local expired = over <= now
  if token == ARGV[at] and (phase == FREED or not expired) then
    return 'APPLIED'
  end
  local settled = phase == COMPLETED or phase == FAILED
  local fits = phase ~= FREED and not expired and (word == 'FORGET' or not settled)
  if token ~= ARGV[at + 1] or fence ~= tonumber(ARGV[at + 2]) or not fits then
    return 'CHANGED'
  end
  if phase == RUNNING and lease > now then
    return 'LEASED'
  end

  local next, retention, outcome = FREED, FREED_FOR, nil
  if word == 'DONE' then
    next, outcome, retention = tonumber(ARGV[at + 4]), ARGV[at + 5], ARGV[at + 6]
  elseif word == 'NOT_DONE' and redis.call('HEXISTS', key, 'steps') == 1 then
    next, retention = RESUMABLE, ARGV[1]
  end
  if next == RESUMABLE then
    begin(index)
    redis.call('ZADD', index, created, member(key))
  else
    redis.call('ZREM', index, member(key))
  end
  if next == FREED then
    -- The history stays; outcome and steps must not reach the next claim.
    for _, field in ipairs(redis.call('HKEYS', key)) do
      if field == 'outcome' or field == 'steps' or string.sub(field, 1, 5) == 'step:' then
        redis.call('HDEL', key, field)
      end
    end
  end
  lease, over = math.min(lease, now), now + retention
  redis.call('HSET', key, 'entry',
    struct.pack(HEAD, next, previous, ARGV[at], attempt, fence, created, lease, over) .. string.sub(found, IDENTITY))
  if outcome then
    redis.call('HSET', key, 'outcome', outcome)
  end
  expire(key, over)
  wake(ARGV[2], key)
  return 'APPLIED'
end
