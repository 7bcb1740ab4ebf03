-- ARGV: token, name, result, how many bytes fit. Returns the size there would have been where it does not fit.
local field = 'step:' .. ARGV[2]
local entry = redis.call('HMGET', KEYS[1], 'phase', 'token', 'end', 'steps', field)
local phase = entry[1]
if not phase or phase == FREED or is_settled(phase) or entry[2] ~= ARGV[1] or tonumber(entry[3]) <= now then
  return 0
end
if entry[5] then
  return 1
end
local size = tonumber(entry[4] or '0') + #ARGV[2] + #ARGV[3]
if size > tonumber(ARGV[4]) then
  return -size
end
redis.call('HSET', KEYS[1], field, ARGV[3], 'steps', digits(size))
return 1
