-- Follows a script that defines step(key, index, at), and calls step for each entry. KEYS has WIDTH keys for each entry:
-- the entry and its index. ARGV has FIXED arguments for all entries, then the same number of arguments for each entry; at
-- is the position of the first of these, the tag of the call.
-- A step returns a number, a string or a table, and the size of a large answer. The script returns the tag and the answer
-- for each entry. The answer is a table of one, the message, if the step failed; other steps are not affected. It is an
-- empty table if the step was left out because the answers before it were large; the caller sends such a call again.
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
