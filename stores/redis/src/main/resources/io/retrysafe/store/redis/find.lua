-- ARGV: none, or the member of the index where it is to be mended. Returns {0, entry, outcome, now}, or
-- nothing where there is no entry.
local found = redis.call('HMGET', KEYS[1], 'entry', 'outcome')
local entry = unpacked(found[1])
local absent = not entry or entry.phase == FREED or entry.over <= now
if ARGV[1] and (absent or is_settled(entry)) then
  redis.call('ZREM', KEYS[2], ARGV[1])
end
if absent then
  return {}
end
return {0, found[1], found[2] or '', now}
