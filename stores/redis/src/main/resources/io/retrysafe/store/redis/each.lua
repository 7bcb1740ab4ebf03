-- After a script that defines step(key, index, at): takes that step for each of the entries in KEYS, which stand
-- there as WIDTH keys each, entry and index; at is where an entry's arguments begin, which are those behind the FIXED first ones. The
-- first of them is what the caller recognises the answer by.
-- A step returns a number, a string or a table, and how many bytes a large answer has. Returns for each entry what it is
-- recognised by, and its answer: a table of one where it failed, which concerns nobody else; an empty table where it was
-- left out, to be asked again, because the answers before were large.
local LARGEST = 1048576

local entries = #KEYS / WIDTH
local each = (#ARGV - FIXED) / entries
local answers, size = {}, 0
for i = 1, entries do
  local at = FIXED + 1 + (i - 1) * each
  answers[2 * i - 1] = ARGV[at]
  if size > LARGEST then
    answers[2 * i] = {}
  else
    local first = (i - 1) * WIDTH + 1
    local done, answer, bytes = pcall(step, KEYS[first], KEYS[first + 1], at)
    if done then
      answers[2 * i] = answer
      size = size + (bytes or 0)
    else
      answers[2 * i] = {type(answer) == 'table' and answer.err or tostring(answer)}
    end
  end
end
return answers
