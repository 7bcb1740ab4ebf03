-- ARGV: token, fingerprint, lease, attempts and age within which to take over, unsettled retention,
-- member of the index, identity of the key. Returns {1, attempt, fence, previous, steps...} where it is
-- granted, {0, entry...} where it is held, {2} where this token was released here.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'fingerprint', 'attempt', 'fence', 'created',
  'lease', 'end', 'outcome', 'previous', 'steps')
local phase = entry[1]
local token, fingerprint = ARGV[1], ARGV[2]
local lease = now + tonumber(ARGV[3])
local over = lease + tonumber(ARGV[6])

if phase == FREED and entry[2] == token then
  return {2}
end

if not phase or phase == FREED or tonumber(entry[8]) <= now then
  local fence = now
  if entry[5] then
    fence = math.max(now, tonumber(entry[5]) + 1)
  end
  -- First of all writes, because only the first can be refused.
  redis.call('ZADD', KEYS[2], digits(now), ARGV[7])
  if phase and phase ~= FREED then
    redis.call('DEL', KEYS[1])
  end
  redis.call('HSET', KEYS[1], 'phase', RUNNING, 'token', token, 'fingerprint', fingerprint, 'attempt', '1',
    'fence', digits(fence), 'created', digits(now), 'lease', digits(lease), 'end', digits(over),
    'previous', '0', 'key', ARGV[8])
  expire(over)
  return {1, '1', digits(fence), '0'}
end

local attempt, fence, previous = tonumber(entry[4]), tonumber(entry[5]), entry[10]
local granted = false
if entry[3] == fingerprint then
  if entry[2] == token then
    granted = phase == RUNNING
  else
    local lapsed = phase == UNKNOWN or (phase == RUNNING and tonumber(entry[7]) <= now)
    local within = attempt < tonumber(ARGV[4]) and now - tonumber(entry[6]) <= tonumber(ARGV[5])
    if phase == RESUMABLE or (lapsed and within) then
      granted = true
      attempt = attempt + 1
      fence = math.max(now, fence + 1)
      previous = lapsed and '2' or '1'
    end
  end
end

if not granted then
  return {0, phase, entry[2], entry[3], entry[4], entry[5], entry[6], entry[7], entry[8], entry[9] or '',
    digits(now)}
end

redis.call('ZADD', KEYS[2], entry[6], ARGV[7])
redis.call('HSET', KEYS[1], 'phase', RUNNING, 'token', token, 'attempt', digits(attempt), 'fence', digits(fence),
  'lease', digits(lease), 'end', digits(over), 'previous', previous)
expire(over)
local reply = {1, digits(attempt), digits(fence), previous}
if entry[11] then
  local all = redis.call('HGETALL', KEYS[1])
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 5) == 'step:' then
      reply[#reply + 1] = string.sub(all[i], 6)
      reply[#reply + 1] = all[i + 1]
    end
  end
end
return reply
