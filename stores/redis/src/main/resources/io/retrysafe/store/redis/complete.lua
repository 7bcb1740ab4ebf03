-- ARGV: token, phase, outcome, retention, member of the index, how to publish.
local entry = unpacked(redis.call('HGET', KEYS[1], 'entry'))
if not entry or entry.phase == FREED or entry.token ~= ARGV[1] or entry.over <= now then
  return 0
end
if is_settled(entry) then
  return 1
end
-- First, and never refused for lack of memory: whoever ran can still settle when the server is full.
redis.call('ZREM', KEYS[2], ARGV[5])
entry.phase, entry.over, entry.lease = tonumber(ARGV[2]), now + ARGV[4], math.min(entry.lease, now)
write(entry, ARGV[3])
wake(ARGV[6])
return 1
