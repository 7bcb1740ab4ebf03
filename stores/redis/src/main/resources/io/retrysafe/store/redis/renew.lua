-- ARGV: token, lease, unsettled retention, member of the index.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'end', 'created')
if entry[1] ~= RUNNING or entry[2] ~= ARGV[1] or tonumber(entry[3]) <= now then
  return 0
end
local lease = now + tonumber(ARGV[2])
local over = lease + tonumber(ARGV[3])
redis.call('ZADD', KEYS[2], entry[4], ARGV[4])
redis.call('HSET', KEYS[1], 'lease', digits(lease), 'end', digits(over))
expire(over)
return 1
