-- ARGV: none, or the member of the index where it is to be mended.
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'fingerprint', 'attempt', 'fence', 'created',
  'lease', 'end', 'outcome', 'key')
local phase = entry[1]
local absent = not phase or phase == FREED or tonumber(entry[8]) <= now
if ARGV[1] and (absent or is_settled(phase)) then
  redis.call('ZREM', KEYS[2], ARGV[1])
end
if absent then
  return {}
end
return {0, phase, entry[2], entry[3], entry[4], entry[5], entry[6], entry[7], entry[8], entry[9] or '',
  digits(now), entry[10]}
