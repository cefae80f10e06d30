-- Pick premises and tactics for the goal at the cursor: :PremiseSuggest and :PremiseSearch. Neovim 0.7.2 and later.
-- Copy this file to lua/ in your configuration. docs/editors/neovim.md explains how to start the server and set this up.
local M = {}

local DEFAULTS = {
  name = 'premise_suggest', -- the server's client
  lean = 'leanls', -- the client that runs Lean, if there is one: lean.nvim's name for it
  count = 16,
  tactics = nil, -- try tactics, too? nil: only if no other client runs Lean, because this needs a Lean of our own
}

local CHANGED = 'The text has changed in the meantime. Try again.'

local function say(message, level)
  vim.notify('premise-suggest: ' .. message, level or vim.log.levels.INFO)
end

local function client_named(name, buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(all) do
    if client.name == name then return client end
  end
end

--- Send a request: `done` gets the answer (nil for null). A failure is shown with its hint.
local function ask(client, method, context, more, done)
  local function answered(failure, answer)
    if failure then
      local hint = type(failure.data) == 'table' and failure.data.hint or ''
      return say(vim.trim(failure.message .. ' ' .. hint), vim.log.levels.WARN)
    end
    done(answer ~= vim.NIL and answer or nil)
  end
  local params = vim.tbl_extend('force', { textDocument = context.document, position = context.position }, more)
  local request = client.request
  if vim.fn.has('nvim-0.11') == 1 then return request(client, method, params, answered, context.buffer) end
  request(method, params, answered, context.buffer)
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

--- The cursor position in UTF-16 units, as in LSP, and whether there is a `sorry` to replace.
local function here(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local sorry = sorry_column(line, column)
  if not sorry and vim.fn.mode():sub(1, 1) ~= 'i' then -- the cursor is on a character: insert after it
    column = column + #(line:sub(column + 1):match('^[%z\1-\127\194-\244][\128-\191]*') or '')
  end
  local before = line:sub(1, sorry or column)
  local _, characters = before:gsub('[^\128-\191]', '')
  local _, wide = before:gsub('[\240-\244]', '') -- two units each
  local position = { line = row - 1, character = characters + wide }
  local document, tick = { uri = vim.uri_from_bufnr(buffer) }, vim.api.nvim_buf_get_changedtick(buffer)
  return { buffer = buffer, document = document, position = position, tick = tick, has_sorry = sorry ~= nil }
end

--- The goal from the client that has already elaborated the file.
local function goal_from(lean, context, done)
  ask(lean, '$/lean/plainGoal', context, {}, function(state)
    if state and state.goals[1] then return done(state.goals[1]) end
    if state then return say('No goals are left here.') end
    ask(lean, '$/lean/plainTermGoal', context, {}, function(term)
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

--- How many characters fit on a line of the list.
local function room()
  return math.max(vim.o.columns - 8, 40)
end

--- A printed goal on one line: as much of the target as fits, and before it as much of the context as fits.
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

--- Lean's verdict on a tactic, with all the goals that it leaves.
local function verdict(tactic)
  if tactic.status == 'closes' then
    if not tactic.rests_on_sorry then return 'closes the goal' end
    local names = table.concat(tactic.unfinished or {}, ', ')
    return 'closes the goal, rests on sorry' .. (names ~= '' and ' (' .. names .. ')' or '')
  end
  if tactic.status == 'unjudged' then return tactic.message end
  local left = {}
  for _, goal in ipairs(tactic.remaining_goals) do
    table.insert(left, vim.trim(((goal:match('^.*(⊢.*)$') or goal):gsub('%s+', ' '))))
  end
  return ('%d left: %s'):format(#left, table.concat(left, '; '))
end

--- The tactics: those that close the goal, then those that leave goals, then those that cannot be judged.
local function tactic_items(tactics)
  local items = {}
  for _, status in ipairs({ 'closes', 'progress', 'unjudged' }) do
    for _, tactic in ipairs(tactics) do
      local origin = (tactic.origin or '') ~= '' and '; as in ' .. tactic.origin or ''
      local shown = ('%s (%s%s)'):format(tactic.tactic, verdict(tactic), origin)
      if tactic.status == status then table.insert(items, { shown = shown, insert = tactic.tactic, as = 'tactic', accepted = true }) end
    end
  end
  return items
end

local function doubt(premise)
  if premise.has_error == true then return ' (has an error)' end
  return premise.rests_on_sorry == true and ' (rests on sorry)' or ''
end

local function premise_items(premises, context)
  local items = {}
  for _, premise in ipairs(premises) do
    local import = premise['import'] ~= vim.NIL and premise['import'] or nil
    local marks = (import and ' (' .. import .. ')' or '') .. doubt(premise)
      .. (premise.deprecated == true and ' (deprecated)' or '')
    -- A bare name instead of a `sorry` would be an error in most proofs, so it is applied.
    local text, as = premise.name, 'name'
    if context.has_sorry then text, as = 'apply ' .. text, 'tactic' end
    table.insert(items, { shown = premise.name .. marks .. ' ' .. premise.statement, insert = text, as = as, import = import })
  end
  return items
end

--- The items of the list: tactics, then premises, under headings if there are both.
local function items_of(answer, context)
  local tactics, premises = tactic_items(answer.tactics or {}), premise_items(answer.premises, context)
  if #tactics == 0 or #premises == 0 then return vim.list_extend(tactics, premises) end
  local items = { { heading = true, shown = '── Tactics ──' } }
  vim.list_extend(items, tactics)
  table.insert(items, { heading = true, shown = '── Premises ──' })
  return vim.list_extend(items, premises)
end

local function insert(client, context, item)
  if vim.api.nvim_buf_get_changedtick(context.buffer) ~= context.tick then return say(CHANGED, vim.log.levels.WARN) end
  ask(client, 'premiseSuggest/edits', context, { insert = item.insert, as = item.as, import = item.import, accepted = item.accepted }, function(answer)
    if vim.api.nvim_buf_get_changedtick(context.buffer) ~= context.tick then return say(CHANGED, vim.log.levels.WARN) end
    vim.lsp.util.apply_text_edits(answer.edits, context.buffer, client.offset_encoding)
  end)
end

local function offer(client, context, answer, prompt)
  local items = items_of(answer, context)
  if #items == 0 then return say('Nothing fits.') end
  local function format_item(item) return on_one_line(item.shown, room()) end
  vim.ui.select(items, { prompt = prompt, kind = 'premise_suggest', format_item = format_item }, function(item)
    if item and item.heading then return say('That is a heading: pick a line below it.') end
    if item then insert(client, context, item) end
  end)
end

local function suggest(options, client, context)
  local lean = client_named(options.lean, context.buffer)
  local tactics = vim.F.if_nil(options.tactics, lean == nil)
  local function with_goal(goal)
    ask(client, 'premiseSuggest/suggest', context, { goal = goal, k = options.count, tactics = tactics }, function(answer)
      offer(client, context, answer, goal_line(answer.goal))
    end)
  end
  if lean then goal_from(lean, context, with_goal) else with_goal(nil) end
end

local function search(options, client, context, query)
  if query == '' then query = vim.fn.input('Search premises: ') end
  if query == '' then return end -- nothing was typed
  ask(client, 'premiseSuggest/search', context, { query = query, k = options.count }, function(answer)
    offer(client, context, answer, query)
  end)
end

--- Create the commands. `given` overrides DEFAULTS.
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
