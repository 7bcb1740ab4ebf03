-- ARGV: largest outcome to return, unsettled retention; for each entry token, then packed lease and the attempts and age
-- within which to take over, and identity. Answers the fence if this is the first claim, {1, attempt, fence, previous,
-- steps...} for any other grant, {0, entry, outcome, now} if the entry is held, 0 if this token was released.
local FIXED = 2

-- The error of a full server. Redis refuses only the first write of a script, so the script refuses later claims itself.
local full

-- Writes to the index first, because a full server can refuse only the first write. An owner that repeats its claim is not
-- refused.
local function enter(key, index, created, own)
  if full and not own then
    error(full)
  end
  local added = redis.pcall('ZADD', index, created, member(key))
  if type(added) ~= 'table' then
    return
  end
  if not own or not string.find(added.err, 'OOM', 1, true) then
    error(added)
  end
  full = added
  begin(index)
  redis.call('ZADD', index, created, member(key))
end

local function write(key, index, token, attempt, fence, created, lease, previous, identity, own, over_before)
  local over = lease + ARGV[2]
  enter(key, index, created, own)
  if over_before then
    redis.call('DEL', key)
  end
  redis.call('HSET', key, 'entry',
    struct.pack(HEAD, RUNNING, previous, token, attempt, fence, created, lease, over) .. identity)
  expire(key, over)
end

local function steps(key, reply)
  if redis.call('HEXISTS', key, 'steps') == 0 then
    return reply, 0
  end
  local all = redis.call('HGETALL', key)
  local size = 0
  for i = 1, #all, 2 do
    if string.sub(all[i], 1, 5) == 'step:' then
      reply[#reply + 1] = string.sub(all[i], 6)
      reply[#reply + 1] = all[i + 1]
      size = size + #all[i + 1]
    end
  end
  return reply, size
end

local function step(key, index, at)
  local claimant, identity = ARGV[at], ARGV[at + 2]
  local wanted, attempts, within = struct.unpack('>ddd', ARGV[at + 1])
  local found = redis.call('HGET', key, 'entry')
  if not found then
    write(key, index, claimant, 1, now, now, now + wanted, 0, identity, false, false)
    return now
  end

  local phase, previous, token, attempt, fence, created, lease, over = struct.unpack(HEAD, found)
  if phase == FREED and token == claimant then
    return 0
  end
  if phase == FREED or over <= now then
    fence = math.max(now, fence + 1)
    write(key, index, claimant, 1, fence, now, now + wanted, 0, identity, false, phase ~= FREED)
    return fence
  end

  local granted = false
  if string.sub(found, IDENTITY) == identity then
    if token == claimant then
      granted = phase == RUNNING
    else
      local lapsed = phase == UNKNOWN or (phase == RUNNING and lease <= now)
      if phase == RESUMABLE or (lapsed and attempt < attempts and now - created <= within) then
        granted = true
        attempt, fence, previous = attempt + 1, math.max(now, fence + 1), lapsed and 2 or 1
      end
    end
  end
  if not granted then
    return held(key, found, phase, ARGV[1])
  end
  write(key, index, claimant, attempt, fence, created, now + wanted, previous, identity, token == claimant, false)
  return steps(key, {1, attempt, fence, previous})
end
