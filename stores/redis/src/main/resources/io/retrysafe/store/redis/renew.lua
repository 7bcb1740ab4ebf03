-- ARGV: unsettled retention; for each entry token and lease.
local FIXED = 1

local function step(key, index, at)
  local found = redis.call('HGET', key, 'entry')
  if not found then
    return 0
  end
  local phase, previous, token, attempt, fence, created, lease, over = struct.unpack(HEAD, found)
  if phase ~= RUNNING or token ~= ARGV[at] or over <= now then
    return 0
  end
  begin(index)
  lease = now + ARGV[at + 1]
  over = lease + ARGV[1]
  redis.call('ZADD', index, created, member(key))
  redis.call('HSET', key, 'entry',
    struct.pack(HEAD, phase, previous, token, attempt, fence, created, lease, over) .. string.sub(found, IDENTITY))
  expire(key, over)
  return 1
end
