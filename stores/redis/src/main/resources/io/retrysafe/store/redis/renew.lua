-- ARGV: token, lease, unsettled retention, member of the index.
local entry = unpacked(redis.call('HGET', KEYS[1], 'entry'))
if not entry or entry.phase ~= RUNNING or entry.token ~= ARGV[1] or entry.over <= now then
  return 0
end
entry.lease = now + ARGV[2]
entry.over = entry.lease + ARGV[3]
redis.call('ZADD', KEYS[2], digits(entry.created), ARGV[4])
write(entry)
return 1
