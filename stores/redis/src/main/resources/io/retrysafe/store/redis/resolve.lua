-- ARGV: token of the word, token and fence that were seen, word, member of the index, how to publish,
-- unsettled retention; for "done" phase, outcome and retention.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'end', 'fence', 'lease', 'steps', 'created')
local phase = entry[1]
local word = ARGV[4]
if not phase then
  return 'CHANGED'
end
local expired = tonumber(entry[3]) <= now
if entry[2] == ARGV[1] and (phase == FREED or not expired) then
  return 'APPLIED'
end
local fits = phase ~= FREED and not expired and (word == 'FORGET' or not is_settled(phase))
if entry[2] ~= ARGV[2] or entry[4] ~= ARGV[3] or not fits then
  return 'CHANGED'
end
if phase == RUNNING and tonumber(entry[5]) > now then
  return 'LEASED'
end

local next, retention = FREED, FREED_FOR
if word == 'DONE' then
  next, retention = ARGV[8], tonumber(ARGV[10])
elseif word == 'NOT_DONE' and entry[6] then
  next, retention = RESUMABLE, tonumber(ARGV[7])
end
if next == RESUMABLE then
  redis.call('ZADD', KEYS[2], entry[7], ARGV[5])
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
elseif word == 'DONE' then
  redis.call('HSET', KEYS[1], 'outcome', ARGV[9])
end
redis.call('HSET', KEYS[1], 'phase', next, 'token', ARGV[1], 'end', digits(now + retention),
  'lease', digits(math.min(tonumber(entry[5]), now)))
expire(now + retention)
wake(ARGV[6])
return 'APPLIED'
