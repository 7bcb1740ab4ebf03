-- ARGV: token, phase, outcome, retention, member of the index, how to publish.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'end', 'lease')
local phase = entry[1]
if not phase or phase == FREED or entry[2] ~= ARGV[1] or tonumber(entry[3]) <= now then
  return 0
end
if is_settled(phase) then
  return 1
end
local over = now + tonumber(ARGV[4])
-- First, and never refused for lack of memory: whoever ran can still settle when the server is full.
redis.call('ZREM', KEYS[2], ARGV[5])
redis.call('HSET', KEYS[1], 'phase', ARGV[2], 'outcome', ARGV[3], 'end', digits(over),
  'lease', digits(math.min(tonumber(entry[4]), now)))
expire(over)
wake(ARGV[6])
return 1
