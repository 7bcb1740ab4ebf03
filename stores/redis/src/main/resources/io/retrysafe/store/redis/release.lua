-- ARGV: token, phase to leave it in, unsettled retention, member of the index, how to publish.
local entry = unpacked(redis.call('HGET', KEYS[1], 'entry'))
local next = tonumber(ARGV[2])
if not entry or entry.token ~= ARGV[1] then
  return 0
end
if entry.phase == FREED then
  return next == FREED and 1 or 0
end
if is_settled(entry) or entry.over <= now then
  return 0
end
if next == FREED then
  if entry.previous ~= 0 then
    next = entry.previous
  elseif redis.call('HEXISTS', KEYS[1], 'steps') == 1 then
    next = RESUMABLE
  end
end
if next == FREED then
  redis.call('ZREM', KEYS[2], ARGV[4])
else
  redis.call('ZADD', KEYS[2], digits(entry.created), ARGV[4])
end
entry.phase, entry.over = next, now + (next == FREED and FREED_FOR or ARGV[3])
entry.lease = math.min(entry.lease, now)
write(entry)
wake(ARGV[5])
return 1
