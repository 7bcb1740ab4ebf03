-- Returns all events, each as six strings.
local packed = redis.call('HGET', KEYS[1], 'events') or ''
local reply = {}
local offset = 0
while offset >= 0 and #packed > 0 do
  local event
  offset, event = cmsgpack.unpack_one(packed, offset)
  for i = 1, 6 do
    reply[#reply + 1] = event[i]
  end
end
return reply
