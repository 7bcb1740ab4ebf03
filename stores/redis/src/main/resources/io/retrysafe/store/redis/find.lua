-- ARGV: largest outcome to return; for each entry the member of its index, and '1' to repair the index, else ''.
-- Answers {0, entry, outcome, now}, or 0 if there is no entry.
local FIXED = 1

local function step(key, index, at)
  local found = redis.call('HGET', key, 'entry')
  local phase, absent, settled = FREED, true, false
  if found then
    local _, over
    phase, _, _, _, _, _, _, over = struct.unpack(HEAD, found)
    absent, settled = phase == FREED or over <= now, phase == COMPLETED or phase == FAILED
  end
  if ARGV[at + 1] ~= '' and (absent or settled) then
    redis.call('ZREM', index, member(key))
  end
  if absent then
    return 0
  end
  return held(key, found, phase, ARGV[1])
end
