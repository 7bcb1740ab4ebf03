-- ARGV: token, phase to leave it in, unsettled retention, member of the index, how to publish.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'end', 'lease', 'previous', 'steps', 'created')
local phase = entry[1]
local next = ARGV[2]
if not phase or entry[2] ~= ARGV[1] then
  return 0
end
if phase == FREED then
  return next == FREED and 1 or 0
end
if is_settled(phase) or tonumber(entry[3]) <= now then
  return 0
end
if next == FREED then
  if entry[5] ~= '0' then
    next = entry[5]
  elseif entry[6] then
    next = RESUMABLE
  end
end
local over = now + (next == FREED and FREED_FOR or tonumber(ARGV[3]))
if next == FREED then
  redis.call('ZREM', KEYS[2], ARGV[4])
else
  redis.call('ZADD', KEYS[2], entry[7], ARGV[4])
end
redis.call('HSET', KEYS[1], 'phase', next, 'end', digits(over), 'lease', digits(math.min(tonumber(entry[4]), now)))
expire(over)
wake(ARGV[5])
return 1
