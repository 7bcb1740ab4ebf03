-- Returns all events, each as six strings.
local packed = redis.call('HGET', KEYS[1], 'events')
local reply = {}
for _, event in ipairs(packed and cmsgpack.unpack(packed) or {}) do
  for i = 1, 6 do
    reply[#reply + 1] = event[i]
  end
end
return reply
