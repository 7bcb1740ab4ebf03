-- ARGV: for each entry '1' where its index is to be mended, else ''. Answers {0, entry, outcome, now}, or 0 where
-- there is no entry.
local FIXED = 0

local function step(key, index, at)
  local found = redis.call('HGET', key, 'entry')
  local absent, settled = true, false
  if found then
    local phase, _, _, _, _, _, _, over = struct.unpack(HEAD, found)
    absent, settled = phase == FREED or over <= now, phase == COMPLETED or phase == FAILED
  end
  if ARGV[at] ~= '' and (absent or settled) then
    redis.call('ZREM', index, member(key))
  end
  if absent then
    return 0
  end
  local outcome = redis.call('HGET', key, 'outcome') or ''
  return {0, found, outcome, now}, #outcome
end
