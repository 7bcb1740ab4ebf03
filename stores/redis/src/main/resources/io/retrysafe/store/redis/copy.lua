-- KEYS: copies. ARGV: how large one may be here; for each how its call is recognised. Answers the copy, or 0 where there
-- is none; {'large', size} where it is larger.
local FIXED, WIDTH = 1, 1

local function step(key, _, at)
  local size = redis.pcall('STRLEN', key)
  -- Something else than a copy is as good as none.
  if type(size) == 'table' or size == 0 then
    return 0
  end
  if size > tonumber(ARGV[1]) then
    return {'large', size}, 0
  end
  return redis.call('GET', key) or 0, size
end
