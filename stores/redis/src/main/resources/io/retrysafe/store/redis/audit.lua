-- KEYS: the audit log. ARGV: the rank up to which actions are removed before one is added; for each action its time and
-- itself. The removal comes first, because a full server never refuses it and then accepts the action.
local FIXED, WIDTH = 1, 1

local function step(key, _, at)
  redis.call('ZREMRANGEBYRANK', key, 0, ARGV[1])
  redis.call('ZADD', key, ARGV[at], ARGV[at + 1])
  return 1
end
