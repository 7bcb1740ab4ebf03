-- ARGV: for each entry the member of its index. Answers {entry, size of the outcome, size of the steps}, or 0 if there is
-- no entry.
local FIXED = 0

local function step(key)
  local found = redis.call('HMGET', key, 'entry', 'steps')
  if not found[1] then
    return 0
  end
  return {found[1], redis.call('HSTRLEN', key, 'outcome'), tonumber(found[2] or '0')}, #found[1]
end
