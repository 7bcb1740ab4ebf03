-- ARGV: token of the word, token and fence that were seen, word, member of the index, how to publish,
-- unsettled retention; for "done" phase, outcome and retention.
local entry = unpacked(redis.call('HGET', KEYS[1], 'entry'))
local word = ARGV[4]
if not entry then
  return 'CHANGED'
end
local expired = entry.over <= now
if entry.token == ARGV[1] and (entry.phase == FREED or not expired) then
  return 'APPLIED'
end
local fits = entry.phase ~= FREED and not expired and (word == 'FORGET' or not is_settled(entry))
if entry.token ~= ARGV[2] or entry.fence ~= tonumber(ARGV[3]) or not fits then
  return 'CHANGED'
end
if entry.phase == RUNNING and entry.lease > now then
  return 'LEASED'
end

local next, retention, outcome = FREED, FREED_FOR, nil
if word == 'DONE' then
  next, outcome, retention = tonumber(ARGV[8]), ARGV[9], ARGV[10]
elseif word == 'NOT_DONE' and redis.call('HEXISTS', KEYS[1], 'steps') == 1 then
  next, retention = RESUMABLE, ARGV[7]
end
if next == RESUMABLE then
  redis.call('ZADD', KEYS[2], digits(entry.created), ARGV[5])
else
  redis.call('ZREM', KEYS[2], ARGV[5])
end
if next == FREED then
  -- What happened to the entry stays readable; what it remembered must not reach the next claim.
  for _, field in ipairs(redis.call('HKEYS', KEYS[1])) do
    if field == 'outcome' or field == 'steps' or string.sub(field, 1, 5) == 'step:' then
      redis.call('HDEL', KEYS[1], field)
    end
  end
end
entry.phase, entry.token, entry.over = next, ARGV[1], now + retention
entry.lease = math.min(entry.lease, now)
write(entry, outcome)
wake(ARGV[6])
return 'APPLIED'
