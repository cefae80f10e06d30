-- Pick premises and tactics for the goal at the cursor, and go from `sorry` to `sorry`. Neovim 0.7.2 and later.
-- Copy this file to lua/ in your configuration. docs/editors/neovim.md explains how to start the server and set this up.
local M = {}

local DEFAULTS = {
  name = 'premise_suggest', -- the server's client
  lean = 'leanls', -- the client that runs Lean, if there is one: lean.nvim's name for it
  count = 16,
  pause = 300, -- the view asks so many milliseconds after the last key
  tactics = nil, -- try tactics, too? nil: only if no other client runs Lean, because this needs a Lean of our own
}

local CHANGED = 'The text has changed in the meantime. Try again.'
local SEARCHING, CANCEL = 'Searching for a proof', 'window/workDoneProgress/cancel'
local REJECTED = 'Lean rejects `%s`; u undoes it.' -- short: Neovim waits for a key after what fills the line

local searches = {} -- by client

local function say(message, level)
  vim.notify('premise-suggest: ' .. message, level or vim.log.levels.INFO)
end

--- A value of an answer: nil for null.
local function known(value)
  if value ~= vim.NIL then return value end
end

--- The client of this name that is attached to a buffer.
function M.client(name, buffer)
  local all = vim.lsp.get_clients and vim.lsp.get_clients({ bufnr = buffer }) or vim.lsp.buf_get_clients(buffer)
  for _, client in pairs(all) do
    if client.name == name then return client end
  end
end

--- Send a request: `done` gets the answer (nil for null), `context.failed` a failure with its hint; without it, the
--- failure is shown. The request is noted in `context`, so that it can be cancelled.
local function ask(client, method, context, params, done)
  local function answered(failure, answer)
    if not failure then return done(known(answer)) end
    local hint = type(failure.data) == 'table' and failure.data.hint or ''
    local words = vim.trim(failure.message .. ' ' .. hint)
    if context.failed then return context.failed(words, failure) end
    say(words, vim.log.levels.WARN)
  end
  params = vim.tbl_extend('force', { textDocument = context.document }, params)
  local is_new = vim.fn.has('nvim-0.11') == 1
  local request = is_new and function(...) return client:request(...) end or client.request
  local is_sent, id = request(method, params, answered, context.buffer)
  context.cancel = is_sent and function()
    if is_new then client:cancel_request(id) else client.cancel_request(id) end
  end or nil
end

--- The byte column after `count` characters of a line: code points for utf-32, units for utf-16. Rows count from 0.
local function byte_column(buffer, row, count, encoding)
  local line = vim.api.nvim_buf_get_lines(buffer, row, row + 1, false)[1] or ''
  if vim.fn.has('nvim-0.11') == 1 then return vim.str_byteindex(line, encoding, count, false) end
  local is_inside, column = pcall(vim.str_byteindex, line, count, encoding == 'utf-16')
  return is_inside and column or #line
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

--- Where the cursor is: `row` from 1 and byte `column`; for the server, the position in UTF-16 units, as in LSP, after
--- the character under the cursor, or at the `sorry` on the line, if there is one.
function M.here(buffer)
  local row, column = unpack(vim.api.nvim_win_get_cursor(0))
  local line = vim.api.nvim_get_current_line()
  local sorry, to = sorry_column(line, column), column
  if not sorry and vim.fn.mode():sub(1, 1) ~= 'i' then -- the cursor is on a character: insert after it
    to = column + #(line:sub(column + 1):match('^[%z\1-\127\194-\244][\128-\191]*') or '')
  end
  local before = line:sub(1, sorry or to)
  local _, characters = before:gsub('[^\128-\191]', '')
  local _, wide = before:gsub('[\240-\244]', '') -- two units each
  return {
    buffer = buffer, tick = vim.api.nvim_buf_get_changedtick(buffer), document = { uri = vim.uri_from_bufnr(buffer) },
    window = vim.api.nvim_get_current_win(), row = row, column = column, has_sorry = sorry ~= nil,
    position = { line = row - 1, character = characters + wide },
  }
end

--- The `sorry` after the cursor (step 1) or before it (step -1), around the end of the file; nil if there is none.
local function near_sorry(context, sorries, step)
  local found
  for _, sorry in ipairs(sorries) do
    local column = byte_column(context.buffer, sorry.line - 1, sorry.column - 1, 'utf-32')
    local is_after = sorry.line > context.row or (sorry.line == context.row and column > context.column)
    local is_before = sorry.line < context.row or (sorry.line == context.row and column < context.column)
    if step > 0 and is_after then return sorry end
    if step < 0 and is_before then found = sorry end
  end
  return found or sorries[step > 0 and 1 or #sorries]
end

--- That no goal is left, and where the next `sorry` is: `done` gets the words.
local function closed(client, context, done)
  ask(client, 'premiseSuggest/sorries', context, {}, function(answer)
    local sorry = near_sorry(context, answer.sorries, 1)
    done('The goal is closed. ' .. (sorry and 'Next sorry: line ' .. sorry.line or 'No sorry is left in this file') .. '.')
  end)
end

local function go_to_sorry(client, context, step)
  ask(client, 'premiseSuggest/sorries', context, {}, function(answer)
    local sorry = near_sorry(context, answer.sorries, step)
    if not sorry then return say('No sorry is left in this file.') end
    vim.cmd("normal! m'") -- Ctrl-o goes back
    local column = byte_column(context.buffer, sorry.line - 1, sorry.column - 1, 'utf-32')
    vim.api.nvim_win_set_cursor(context.window, { sorry.line, column })
  end)
end

--- A goal from the client that has already elaborated the file, and how many there are: 0 if all are closed, nil if
--- it is not a place for one.
local function goal_from(lean, context, number, done)
  ask(lean, '$/lean/plainGoal', context, { position = context.position }, function(state)
    if state then return done(state.goals[number], #state.goals) end
    ask(lean, '$/lean/plainTermGoal', context, { position = context.position }, function(term)
      done(term and number == 1 and term.goal or nil, term and 1)
    end)
  end)
end

--- A text on one line, in at most `room` characters.
function M.on_one_line(text, room)
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
  if not target then return M.on_one_line(goal, room()) end
  target = M.on_one_line(target, room())
  known = vim.trim(known:gsub('\n%s+', ' ')):gsub('%s*\n', ', ')
  local left, has = room() - vim.fn.strchars(target) - 1, vim.fn.strchars(known)
  if known == '' or left < 8 then return target end
  if has > left then known = '…' .. vim.fn.strcharpart(known, has - left + 1) end
  return known .. ' ' .. target
end

--- Which goal it is, where this is not plain: "Goal 1 of 2, before line 9".
function M.goal_heading(answer, context)
  local parts, replaces = {}, known(answer.replaces)
  if answer.goal_count > 1 then table.insert(parts, ('%d of %d'):format(answer.goal_number, answer.goal_count)) end
  if answer.place == 'before' then table.insert(parts, 'before line ' .. (replaces and replaces.line or context.row)) end
  return #parts > 0 and 'Goal ' .. table.concat(parts, ', ') or ''
end

--- Lean's verdict on a tactic, with all the goals that it leaves.
local function verdict(tactic)
  if tactic.status == 'closes' then
    local line, names = known(tactic['import']), table.concat(tactic.unfinished or {}, ', ')
    local rests = tactic.rests_on_sorry and ', rests on sorry' .. (names ~= '' and ' (' .. names .. ')' or '') or ''
    return 'closes the goal' .. rests .. (line and ', adds ' .. line or '')
  end
  if tactic.status == 'unjudged' then return tactic.message end
  local left = {}
  for _, goal in ipairs(tactic.remaining_goals) do
    table.insert(left, vim.trim(((goal:match('^.*(⊢.*)$') or goal):gsub('%s+', ' '))))
  end
  return ('%d left: %s'):format(#left, table.concat(left, '; '))
end

--- The rows of tactics: those that close the goal, then those that leave goals, then those that cannot be judged.
function M.tactic_items(tactics)
  local items = {}
  for _, status in ipairs({ 'closes', 'progress', 'unjudged' }) do
    for _, tactic in ipairs(tactics) do
      local origin = (tactic.origin or '') ~= '' and '; as in ' .. tactic.origin or ''
      local shown = ('%s (%s%s)'):format(tactic.tactic, verdict(tactic), origin)
      local item = { shown = shown, insert = tactic.tactic, as = 'tactic', accepted = true, status = status, uses = tactic.uses }
      if tactic.status == status then table.insert(items, item) end
    end
  end
  return items
end

local function doubt(premise)
  if premise.has_error == true then return ' (has an error)' end
  return premise.rests_on_sorry == true and ' (rests on sorry)' or ''
end

--- The rows of premises: the name, what is inserted, and the statement. Inserted is the first accepted tactic that uses
--- it, else what Lean accepts of the forms that fit its statement; the bare name where our server knows no goal and
--- there is no `sorry`. `tactics`: the rows of tactics.
function M.premise_items(premises, tactics, context)
  local items, as = {}, (context.has_goal or context.has_sorry) and 'premise' or 'name'
  for _, premise in ipairs(premises) do
    local item = { insert = premise.name, as = as, import = known(premise['import']) }
    local text = as == 'premise' and (premise.form or '') ~= '' and ': ' .. premise.form .. ' (not tried yet)' or ''
    for _, tactic in ipairs(tactics) do
      if vim.tbl_contains(tactic.uses or {}, premise.name) then item, text = vim.deepcopy(tactic), ': ' .. tactic.shown break end
    end
    local marks = (item.import and ' (' .. item.import .. ')' or '') .. doubt(premise)
      .. (premise.deprecated == true and ' (deprecated)' or '')
    item.shown, item.is_premise = premise.name .. marks .. text .. ' ' .. premise.statement, true
    table.insert(items, item)
  end
  return items
end

--- Put the cursor where an answer says, a position in LSP's units.
local function place_cursor(context, position)
  local window = context.window
  if not (vim.api.nvim_win_is_valid(window) and vim.api.nvim_win_get_buf(window) == context.buffer) then return end
  local column = byte_column(context.buffer, position.line, position.character, 'utf-16')
  vim.api.nvim_win_set_cursor(window, { position.line + 1, column })
end

--- Insert a row's tactic or premise. Lean tries a premise for which it has accepted none yet.
function M.insert(client, context, item)
  local function has_changed()
    local is_other = vim.api.nvim_buf_get_changedtick(context.buffer) ~= context.tick
    if is_other then say(CHANGED, vim.log.levels.WARN) end
    return is_other
  end
  if has_changed() then return end
  context.failed = nil -- a failure is shown
  local params = { position = context.position, insert = item.insert, as = item.as, import = item.import, accepted = item.accepted,
    goalNumber = context.goal_number }
  ask(client, 'premiseSuggest/edits', context, params, function(answer)
    if has_changed() then return end
    vim.lsp.util.apply_text_edits(answer.edits, context.buffer, client.offset_encoding)
    if known(answer.cursor) then place_cursor(context, answer.cursor) end
    if answer.status == 'fails' then say(REJECTED:format(answer.tactic), vim.log.levels.WARN) end
  end)
end

local function offer(client, context, answer, prompt)
  local tactics = M.tactic_items(answer.tactics or {})
  local items = vim.list_extend(vim.list_slice(tactics), M.premise_items(answer.premises, tactics, context))
  if #items == 0 then return say(table.concat({ 'Nothing fits.', unpack(answer.warnings or {}) }, ' ')) end
  local function format_item(item) return M.on_one_line((item.is_premise and '' or 'tactic: ') .. item.shown, room()) end
  vim.ui.select(items, { prompt = prompt, kind = 'premise_suggest', format_item = format_item }, function(item)
    if item then M.insert(client, context, item) end
  end)
end

--- The suggestion for a goal at the cursor: `done` gets it, or nil and words where there is none. The goal comes from
--- the client that runs Lean, if there is one. `more`: further parameters.
function M.suggest(options, client, context, number, more, done)
  local lean = M.client(options.lean, context.buffer)
  context.has_goal, context.goal_number = lean == nil, number
  local usual = { position = context.position, k = options.count, tactics = vim.F.if_nil(options.tactics, lean == nil) }
  local function say_closed() closed(client, context, function(words) done(nil, words) end) end
  local function request(params, count)
    ask(client, 'premiseSuggest/suggest', context, vim.tbl_extend('force', usual, more, params), function(answer)
      if answer.place == 'closed' then return say_closed() end
      if count then answer.goal_number, answer.goal_count = number, count end
      done(answer)
    end)
  end
  if not lean then return request({ goalNumber = number }) end
  goal_from(lean, context, number, function(goal, count)
    if goal then return request({ goal = goal }, count) end
    if count == 0 then return say_closed() end
    done(nil, count and ('There is no goal %d here, but %d.'):format(number, count) or 'There is no goal here.')
  end)
end

local function pick(options, client, context, goal_number)
  local number = tonumber(goal_number == '' and '1' or goal_number:match('^[1-9]%d?%d?$'))
  if not number then return say(':PremiseSuggest takes the number of a goal, such as 2.', vim.log.levels.WARN) end
  M.suggest(options, client, context, number, {}, function(answer, words)
    if not answer then return say(words) end
    local heading = M.goal_heading(answer, context)
    offer(client, context, answer, (heading ~= '' and heading .. ': ' or '') .. goal_line(answer.goal))
  end)
end

local function search(options, client, context, query)
  if query == '' then query = vim.fn.input('Search premises: ') end
  if query == '' then return end -- nothing was typed
  local params = { position = context.position, query = query, k = options.count }
  ask(client, 'premiseSuggest/search', context, params, function(answer) offer(client, context, answer, query) end)
end

--- The search for a proof of a client: its `token`, while one runs. How far it is, is shown.
local function search_of(client)
  if searches[client.id] then return searches[client.id] end
  local running, others = {}, client.handlers['$/progress'] or vim.lsp.handlers['$/progress']
  searches[client.id] = running
  client.handlers['$/progress'] = function(failure, result, ...)
    local value = result.value
    if value.title == SEARCHING then running.token = result.token end
    if result.token == running.token then
      local is_over = value.kind == 'end'
      vim.api.nvim_echo({ { is_over and '' or SEARCHING .. ': ' .. (value.message or 'Lean reads the file') } }, false, {})
      vim.cmd('redraw')
      if is_over then running.token = nil end
    end
    return others(failure, result, ...)
  end
  return running
end

--- Search for a proof, which the server has inserted; during a search, end it, and keep what was found.
local function prove(_, client, context)
  local running = search_of(client)
  if not running.token then
    local argument = { textDocument = context.document, position = context.position }
    local command = { command = 'premise-suggest.prove', arguments = { argument } }
    return ask(client, 'workspace/executeCommand', context, command, function() end)
  end
  local ending = { token = running.token }
  if vim.fn.has('nvim-0.11') == 1 then client:notify(CANCEL, ending) else client.notify(CANCEL, ending) end
end

--- Create the commands. `given` overrides DEFAULTS.
function M.setup(given)
  local options = vim.tbl_extend('force', DEFAULTS, given or {})
  local function command(name, description, action)
    vim.api.nvim_create_user_command(name, function(call)
      local buffer = vim.api.nvim_get_current_buf()
      local client = M.client(options.name, buffer)
      if not client then return say('The server is not attached to this buffer.', vim.log.levels.WARN) end
      action(options, client, M.here(buffer), call.args)
    end, { nargs = '*', desc = description })
  end
  command('PremiseSuggest', 'Pick a premise or a tactic for the goal here, or for the one of this number', pick)
  command('PremiseSearch', 'Search premises by words, a name or a goal', search)
  command('PremiseProve', 'Search for a proof of the goal here', prove)
  command('PremiseView', 'Open or close the window that follows the cursor', function() require('premise_suggest_view').toggle(options) end)
  command('PremiseNextSorry', 'Go to the next sorry', function(_, client, context) go_to_sorry(client, context, 1) end)
  command('PremisePrevSorry', 'Go to the previous sorry', function(_, client, context) go_to_sorry(client, context, -1) end)
end

return M
