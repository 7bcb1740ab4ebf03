-- ARGV: how many events to keep, then kind, writer, first, last, count and detail of each new one.
if redis.call('EXISTS', KEYS[1]) == 0 then
  return 0
end
local packed = redis.call('HGET', KEYS[1], 'events')
local events = packed and cmsgpack.unpack(packed) or {}
for i = 2, #ARGV, 6 do
  local kind, by, first, last, count, detail = ARGV[i], ARGV[i + 1], ARGV[i + 2], ARGV[i + 3], ARGV[i + 4], ARGV[i + 5]
  local same
  if kind == 'replayed' then
    for _, event in ipairs(events) do
      if event[1] == kind and event[2] == by then
        same = event
        break
      end
    end
  end
  if same then
    same[4], same[5], same[6] = last, digits(tonumber(same[5]) + tonumber(count)), detail
  else
    events[#events + 1] = {kind, by, first, last, count, detail}
  end
end
local surplus = #events - tonumber(ARGV[1])
if surplus > 0 then
  local kept = {}
  for _, event in ipairs(events) do
    if surplus > 0 and event[1] ~= 'resolved' then
      surplus = surplus - 1
    else
      kept[#kept + 1] = event
    end
  end
  events = kept
end
redis.call('HSET', KEYS[1], 'events', cmsgpack.pack(events))
return 1
