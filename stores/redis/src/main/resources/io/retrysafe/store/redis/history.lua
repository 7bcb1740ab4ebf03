-- ARGV: for each entry the member of its index. Answers all events, each as six strings, or 0 if there are none.
local FIXED = 0

local function step(key, index, at)
  local packed = redis.call('HGET', key, 'events') or ''
  local reply = {}
  local offset = 0
  while offset >= 0 and #packed > 0 do
    local event
    offset, event = cmsgpack.unpack_one(packed, offset)
    for i = 1, 6 do
      reply[#reply + 1] = event[i]
    end
  end
  if #reply == 0 then
    return 0
  end
  return reply, #packed
end
