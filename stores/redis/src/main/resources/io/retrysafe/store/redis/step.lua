-- ARGV: token, name, result, how many bytes fit. Returns the size there would have been where it does not fit.
local field = 'step:' .. ARGV[2]
local found = redis.call('HMGET', KEYS[1], 'entry', 'steps', field)
local entry = unpacked(found[1])
if not entry or entry.phase == FREED or is_settled(entry) or entry.token ~= ARGV[1] or entry.over <= now then
  return 0
end
if found[3] then
  return 1
end
local size = tonumber(found[2] or '0') + #ARGV[2] + #ARGV[3]
if size > tonumber(ARGV[4]) then
  return -size
end
redis.call('HSET', KEYS[1], field, ARGV[3], 'steps', digits(size))
return 1
