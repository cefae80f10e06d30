-- Pick premises and tactics for the goal at the cursor: :PremiseSuggest and :PremiseSearch. Neovim 0.7.2 and later.
-- Put this file into lua/ of your configuration; docs/editors/neovim.md says how to start the server and what to call.
local M = {}

local DEFAULTS = {
  name = 'premise_suggest', -- the server's client
  lean = 'leanls', -- the client that runs Lean, if there is one: lean.nvim's name for it
  count = 16,
  tactics = nil, -- try tactics too? nil: where no other client runs Lean, for trials need a Lean of our own
}

local CHANGED = 'The text has changed meanwhile; ask again.'

local function say(message, level)
  vim.notify('premise-suggest: ' .. message, level or vim.log.levels.INFO)
end

local function client_named(name, buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(all) do
    if client.name == name then return client end
  end
end

--- Ask a server: `done` gets the answer (nil for null); a failure is told with what mends it.
local function ask(client, method, place, more, done)
  local function answered(failure, answer)
    if failure then
      local hint = type(failure.data) == 'table' and failure.data.hint or ''
      return say(vim.trim(failure.message .. ' ' .. hint), vim.log.levels.WARN)
    end
    done(answer ~= vim.NIL and answer or nil)
  end
  local params = vim.tbl_extend('force', { textDocument = place.document, position = place.position }, more)
  local request = client.request
  if vim.fn.has('nvim-0.11') == 1 then return request(client, method, params, answered, place.buffer) end
  request(method, params, answered, place.buffer)
end

--- The byte column where the `sorry` under the cursor begins, else the first one on the line.
local function sorry_column(line, column)
  local code, init, first = line:gsub('%-%-.*', ''), 1, nil
  while true do
    local from, to = code:find('%f[%w_]sorry%f[^%w_]', init)
    if not from then return first end
    if from - 1 <= column and column < to then return from - 1 end
    first, init = first or from - 1, to + 1
  end
end

--- Where the cursor is, in UTF-16 units as LSP counts, and whether there is a `sorry` to be replaced.
local function here(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local sorry = sorry_column(line, column)
  if not sorry and vim.fn.mode():sub(1, 1) ~= 'i' then -- the cursor is on a character: go behind it
    column = column + #(line:sub(column + 1):match('^[%z\1-\127\194-\244][\128-\191]*') or '')
  end
  local before = line:sub(1, sorry or column)
  local _, characters = before:gsub('[^\128-\191]', '')
  local _, wide = before:gsub('[\240-\244]', '') -- two units each
  local position = { line = row - 1, character = characters + wide }
  local document, tick = { uri = vim.uri_from_bufnr(buffer) }, vim.api.nvim_buf_get_changedtick(buffer)
  return { buffer = buffer, document = document, position = position, tick = tick, has_sorry = sorry ~= nil }
end

--- The goal as the client that has elaborated the file already gives it.
local function goal_from(lean, place, done)
  ask(lean, '$/lean/plainGoal', place, {}, function(state)
    if state and state.goals[1] then return done(state.goals[1]) end
    if state then return say('No goals are left here.') end
    ask(lean, '$/lean/plainTermGoal', place, {}, function(term)
      if not term then return say('There is no goal here.') end
      done(term.goal)
    end)
  end)
end

--- A text on one line, in at most `room` characters.
local function on_one_line(text, room)
  local line = vim.trim((text:gsub('%s+', ' ')))
  return vim.fn.strchars(line) <= room and line or vim.fn.strcharpart(line, 0, room - 1) .. '…'
end

--- How many characters a line of the list has room for.
local function room()
  return math.max(vim.o.columns - 8, 40)
end

--- A printed goal on one line: the target whole as far as there is room, and before it what room is left for.
local function goal_line(goal)
  local known, target = goal:match('^(.*)(⊢.*)$')
  if not target then return on_one_line(goal, room()) end
  target = on_one_line(target, room())
  known = vim.trim(known:gsub('\n%s+', ' ')):gsub('%s*\n', ', ')
  local left, has = room() - vim.fn.strchars(target) - 1, vim.fn.strchars(known)
  if known == '' or left < 8 then return target end
  if has > left then known = '…' .. vim.fn.strcharpart(known, has - left + 1) end
  return known .. ' ' .. target
end

--- What Lean said of a tactic; of one that leaves goals, all that it leaves.
local function verdict(tactic)
  if tactic.status == 'closes' then return 'closes the goal' end
  if tactic.status == 'unjudged' then return tactic.message end
  local left = {}
  for _, goal in ipairs(tactic.remaining_goals) do
    table.insert(left, vim.trim(((goal:match('^.*(⊢.*)$') or goal):gsub('%s+', ' '))))
  end
  return ('%d left: %s'):format(#left, table.concat(left, '; '))
end

--- The tactics: what closes the goal, then steps, then what cannot be judged.
local function tactic_items(tactics)
  local items = {}
  for _, status in ipairs({ 'closes', 'progress', 'unjudged' }) do
    for _, tactic in ipairs(tactics) do
      local shown = ('%s (%s)'):format(tactic.tactic, verdict(tactic))
      if tactic.status == status then table.insert(items, { shown = shown, insert = tactic.tactic, as = 'tactic' }) end
    end
  end
  return items
end

local function premise_items(premises, place)
  local items = {}
  for _, premise in ipairs(premises) do
    local import = premise['import'] ~= vim.NIL and premise['import'] or nil
    local marks = (import and ' (' .. import .. ')' or '') .. (premise.rests_on_sorry == true and ' (rests on sorry)' or '')
    -- A bare name in place of a `sorry` would be an error in most proofs, so there it is applied.
    local text, as = premise.name, 'name'
    if place.has_sorry then text, as = 'apply ' .. text, 'tactic' end
    table.insert(items, { shown = premise.name .. marks .. ' ' .. premise.statement, insert = text, as = as, import = import })
  end
  return items
end

--- What can be picked: tactics, then premises, each under a heading where there are both.
local function items_of(answer, place)
  local tactics, premises = tactic_items(answer.tactics or {}), premise_items(answer.premises, place)
  if #tactics == 0 or #premises == 0 then return vim.list_extend(tactics, premises) end
  local items = { { heading = true, shown = '── Tactics ──' } }
  vim.list_extend(items, tactics)
  table.insert(items, { heading = true, shown = '── Premises ──' })
  return vim.list_extend(items, premises)
end

local function insert(client, place, item)
  if vim.api.nvim_buf_get_changedtick(place.buffer) ~= place.tick then return say(CHANGED, vim.log.levels.WARN) end
  ask(client, 'premiseSuggest/edits', place, { insert = item.insert, as = item.as, import = item.import }, function(answer)
    if vim.api.nvim_buf_get_changedtick(place.buffer) ~= place.tick then return say(CHANGED, vim.log.levels.WARN) end
    vim.lsp.util.apply_text_edits(answer.edits, place.buffer, client.offset_encoding)
  end)
end

local function offer(client, place, answer, prompt)
  local items = items_of(answer, place)
  if #items == 0 then return say('Nothing fits.') end
  local function format_item(item) return on_one_line(item.shown, room()) end
  vim.ui.select(items, { prompt = prompt, kind = 'premise_suggest', format_item = format_item }, function(item)
    if item and item.heading then return say('That is a heading: pick a line below it.') end
    if item then insert(client, place, item) end
  end)
end

local function suggest(options, client, place)
  local lean = client_named(options.lean, place.buffer)
  local tactics = vim.F.if_nil(options.tactics, lean == nil)
  local function with_goal(goal)
    ask(client, 'premiseSuggest/suggest', place, { goal = goal, k = options.count, tactics = tactics }, function(answer)
      offer(client, place, answer, goal_line(answer.goal))
    end)
  end
  if lean then goal_from(lean, place, with_goal) else with_goal(nil) end
end

local function search(options, client, place, query)
  if query == '' then query = vim.fn.input('Search premises: ') end
  if query == '' then return end -- nothing was typed
  ask(client, 'premiseSuggest/search', place, { query = query, k = options.count }, function(answer)
    offer(client, place, answer, query)
  end)
end

--- Make the commands. `given` may change what DEFAULTS has.
function M.setup(given)
  local options = vim.tbl_extend('force', DEFAULTS, given or {})
  local function command(name, description, action)
    vim.api.nvim_create_user_command(name, function(call)
      local buffer = vim.api.nvim_get_current_buf()
      local client = client_named(options.name, buffer)
      if not client then return say('The server is not attached to this buffer.', vim.log.levels.WARN) end
      action(options, client, here(buffer), call.args)
    end, { nargs = '*', desc = description })
  end
  command('PremiseSuggest', 'Pick a premise or a tactic for the goal here', suggest)
  command('PremiseSearch', 'Search premises by words, a name or a goal', search)
end

return M
