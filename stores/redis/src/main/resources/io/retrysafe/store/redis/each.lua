-- After a script that defines step(key, index, at): takes that step for each of the entries in KEYS, which stand
-- there as entry and index; at is where an entry's arguments begin, which are those behind the FIXED first ones.
-- A step returns a number or a table, and how many bytes a large answer has. Returns one answer for each entry: a
-- table of one where it failed, which concerns nobody else; an empty table where it was left out, to be asked
-- again, because the answers before were large.
local LARGEST = 1048576

local entries = #KEYS / 2
local each = (#ARGV - FIXED) / entries
local answers, size = {}, 0
for i = 1, entries do
  if size > LARGEST then
    answers[i] = {}
  else
    local done, answer, bytes = pcall(step, KEYS[2 * i - 1], KEYS[2 * i], FIXED + 1 + (i - 1) * each)
    if done then
      answers[i] = answer
      size = size + (bytes or 0)
    else
      answers[i] = {type(answer) == 'table' and answer.err or tostring(answer)}
    end
  end
end
return answers
