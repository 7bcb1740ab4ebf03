-- KEYS: copies. ARGV: largest copy to return; for each copy the tag of its call. Answers the copy, 0 if there is none, or
-- {'large', size} if it is larger.
local FIXED, WIDTH = 1, 1

local function step(key, _, at)
  local size = redis.pcall('STRLEN', key)
  -- A value of another type counts as no copy.
  if type(size) == 'table' or size == 0 then
    return 0
  end
  if size > tonumber(ARGV[1]) then
    return {'large', size}, 0
  end
  return redis.call('GET', key) or 0, size
end
