-- ARGV: token, fingerprint, lease, attempts and age within which to take over, unsettled retention,
-- member of the index, identity of the key. Returns {1, attempt, fence, previous, steps...} where it is
-- granted, {0, entry, outcome, now} where it is held, {2} where this token was released here.
local found = redis.call('HMGET', KEYS[1], 'entry', 'outcome')
local entry = unpacked(found[1])
local token, fingerprint = ARGV[1], ARGV[2]
local lease = now + ARGV[3]
local over = lease + ARGV[6]

if entry and entry.phase == FREED and entry.token == token then
  return {2}
end

if not entry or entry.phase == FREED or entry.over <= now then
  local fence = now
  if entry then
    fence = math.max(now, entry.fence + 1)
  end
  -- First of all writes, because only the first can be refused.
  redis.call('ZADD', KEYS[2], digits(now), ARGV[7])
  if entry and entry.phase ~= FREED then
    redis.call('DEL', KEYS[1])
  end
  write({phase = RUNNING, previous = 0, token = token, attempt = 1, fence = fence, created = now, lease = lease,
    over = over, fingerprint = fingerprint, key = ARGV[8]})
  return {1, 1, fence, 0}
end

local granted = false
if entry.fingerprint == fingerprint then
  if entry.token == token then
    granted = entry.phase == RUNNING
  else
    local lapsed = entry.phase == UNKNOWN or (entry.phase == RUNNING and entry.lease <= now)
    local within = entry.attempt < tonumber(ARGV[4]) and now - entry.created <= tonumber(ARGV[5])
    if entry.phase == RESUMABLE or (lapsed and within) then
      granted = true
      entry.attempt = entry.attempt + 1
      entry.fence = math.max(now, entry.fence + 1)
      entry.previous = lapsed and 2 or 1
    end
  end
end

if not granted then
  return {0, found[1], found[2] or '', now}
end

redis.call('ZADD', KEYS[2], digits(entry.created), ARGV[7])
entry.phase, entry.token, entry.lease, entry.over = RUNNING, token, lease, over
write(entry)
local reply = {1, entry.attempt, entry.fence, entry.previous}
if redis.call('HEXISTS', KEYS[1], 'steps') == 1 then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 5) == 'step:' then
      reply[#reply + 1] = string.sub(all[i], 6)
      reply[#reply + 1] = all[i + 1]
    end
  end
end
return reply
