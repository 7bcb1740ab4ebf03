-- ARGV: how many events to keep of each entry; for each entry the member of its index, and its new events, packed. The
-- events of an entry are one MessagePack array after another, so that appending is usually all there is to do. Answers 1,
-- or 0 if there is no entry.
local FIXED = 1

-- Fewer bytes hold fewer than the 100 events to keep: the two times of an event take 34 bytes alone.
local SHORT = 3000

local function counted(events, event)
  for _, other in ipairs(events) do
    if other[1] == 'replayed' and other[2] == event[2] then
      other[4], other[5], other[6] = event[4], string.format("%.0f", other[5] + event[5]), event[6]
      return true
    end
  end
  return false
end

local function trimmed(events, most)
  local surplus = #events - most
  local kept = {}
  for _, event in ipairs(events) do
    if surplus > 0 and event[1] ~= 'resolved' then
      surplus = surplus - 1
    else
      kept[#kept + 1] = cmsgpack.pack(event)
    end
  end
  return table.concat(kept)
end

local function joined(old, new)
  local events = {}
  for _, packed in ipairs({old, new}) do
    local offset = 0
    while offset >= 0 and #packed > 0 do
      local event
      offset, event = cmsgpack.unpack_one(packed, offset)
      if event[1] ~= 'replayed' or not counted(events, event) then
        events[#events + 1] = event
      end
    end
  end
  return trimmed(events, tonumber(ARGV[1]))
end

local function step(key, _, at)
  local entry = redis.call('HMGET', key, 'entry', 'events')
  if not entry[1] then
    return 0
  end
  local old, new = entry[2] or '', ARGV[at + 1]
  -- Events that are sent again after a lost reply are there already.
  if string.sub(old, -#new) ~= new then
    local short = #old + #new < SHORT and not string.find(new, 'replayed', 1, true)
    redis.call('HSET', key, 'events', short and old .. new or joined(old, new))
  end
  return 1
end
