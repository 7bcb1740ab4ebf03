-- ARGV: largest size of all steps; for each entry token, name, result. Answers 1 or 0, or the negated size if the step does
-- not fit.
local FIXED = 1

local function step(key, index, at)
  local field = 'step:' .. ARGV[at + 1]
  local found = redis.call('HMGET', key, 'entry', 'steps', field)
  if not found[1] then
    return 0
  end
  local phase, _, token, _, _, _, _, over = struct.unpack(HEAD, found[1])
  if phase == FREED or phase == COMPLETED or phase == FAILED or token ~= ARGV[at] or over <= now then
    return 0
  end
  if found[3] then
    return 1
  end
  local size = tonumber(found[2] or '0') + #ARGV[at + 1] + #ARGV[at + 2]
  if size > tonumber(ARGV[1]) then
    return -size
  end
  redis.call('HSET', key, field, ARGV[at + 2], 'steps', string.format('%.0f', size))
  return 1
end
